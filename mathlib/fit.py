#!/usr/bin/env python3
"""Prints the polynomials of mathlib/functions.h: near-minimax fits, by interpolation in Chebyshev's nodes. Needs mpmath.

Each is a quotient that is smooth at 0, so that what precedes it (1 + r, f - f^2 / 2) is exact.
"""

import struct

import mpmath
from mpmath import cos, erf, erfc, expm1, log, log1p, mp, mpf, pi, sin, sqrt, tanh

mp.dps = 90


def fit(f, low, high, degree):
    """Coefficients from the lowest."""
    low, high = mpf(low), mpf(high)
    nodes = [(low + high) / 2 + (high - low) / 2 * cos(pi * (2 * i + 1) / (2 * degree + 2)) for i in range(degree + 1)]
    matrix = mpmath.matrix(degree + 1, degree + 1)
    for i, x in enumerate(nodes):
        for j in range(degree + 1):
            matrix[i, j] = x**j
    return list(mpmath.lu_solve(matrix, mpmath.matrix([f(x) for x in nodes])))


def to_float(x):
    return struct.unpack("f", struct.pack("f", float(x)))[0]


def show(name, f, low, high, degree, wide=False):
    c = fit(f, low, high, degree)
    low, high = mpf(low), mpf(high)
    worst = max(abs(mpmath.polyval(c[::-1], x) - f(x)) for x in mpmath.linspace(low, high, 301) if x != 0)
    suffix = "" if wide else "f"
    rounded = [float(x).hex() if wide else float.hex(to_float(x)) for x in c]
    print(f"// {name}, [{float(low):.4f}, {float(high):.4f}], error {float(worst):.1e}")
    print("  {" + ", ".join(r + suffix for r in rounded) + "}")


half = log(2) / 2 * mpf("1.0005")
show("(e^r - 1 - r) / r^2", lambda r: (expm1(r) - r) / r**2, -half, half * mpf("1.001"), 4)
show("(2^r - 1) / r", lambda r: expm1(r * log(2)) / r, "-0.5001", "0.5001", 5)
show("(log(1 + f) - f + f^2 / 2) / f^3", lambda f: (log1p(f) - f + f * f / 2) / f**3, "-0.29295", "0.41425", 8)
show("(tanh(x) / x - 1) / x^2 of x^2", lambda t: (tanh(sqrt(t)) / sqrt(t) - 1) / t, "1e-12", "0.4226", 5)
show("erf(x) / x - 1 of x^2", lambda t: erf(sqrt(t)) / sqrt(t) - 1, "1e-12", "1.0001", 6)
show("-log(erfc(1 + t))", lambda t: -log(erfc(1 + t)), "0", "3", 8)
quarter = (pi / 4 * mpf("1.001"))**2
show("(sin(r) / r - 1) / r^2 of r^2", lambda t: (sin(sqrt(t)) / sqrt(t) - 1) / t, "1e-12", quarter, 3)
show("(cos(r) - 1 + r^2 / 2) / r^4 of r^2", lambda t: (cos(sqrt(t)) - 1 + t / 2) / t**2, "1e-8", quarter, 3)
show("2 atanh(s) / s / log(2) of s^2", lambda t: 2 * mpmath.atanh(sqrt(t)) / sqrt(t) / log(2), "1e-12", "0.02945", 6, True)
show("2^r", lambda r: mpf(2)**r, "-0.5001", "0.5001", 8, True)
print("// 2 / pi, words of 32 bits")
print("  " + ", ".join(hex(int(mpmath.floor(2 / pi * mpf(2)**(32 * (i + 1)))) & 0xffffffff) for i in range(7)))
for name, value in (("ln 2", log(2)), ("pi / 2", pi / 2)):
    print(f"// {name} in parts")
    parts = []
    for bits in ((15, 24) if name == "ln 2" else (24, 24, 24)):
        shift = mpf(2)**(bits - 1 - mpmath.floor(log(abs(value), 2)))
        part = mpmath.nint(value * shift) / shift
        parts.append(float(part).hex() + "f")
        value -= part
    print("  " + ", ".join(parts))
