import hashlib
import json
import shutil

import pytest

import quern
from quern import bundle, host

FILES = ["canonical.mlir", "certificate.json", "kernel.ll", "kernel.so", "launch.json", "measurements.json",
         "module.mlir", "program.mlir", "trace.jsonl"]


@pytest.fixture
def copy(matmul, tmp_path):
    return shutil.copytree(matmul, tmp_path / "copy")


def rewrite(folder, name, data):
    """Changes a file and the manifest with it, as one would who wants it believed."""
    (folder / name).write_bytes(data)
    manifest = json.loads((folder / "manifest.json").read_text())
    manifest["files"][name] = hashlib.sha256(data).hexdigest()
    manifest["self_sha256"] = bundle._self_digest(manifest)
    (folder / "manifest.json").write_text(json.dumps(manifest, indent=2, sort_keys=True))


def test_reads_what_the_kernel_takes(matmul):
    read = bundle.read(matmul)
    assert [str(spec) for spec in read.inputs] == ["f32[24,20]", "f32[20,32]"]
    assert [str(spec) for spec in read.outputs] == ["f32[24,32]"]
    assert read.certificate["verdict"] == "proved"


@pytest.mark.parametrize("name", FILES)
def test_refuses_a_changed_file(copy, name):
    data = bytearray((copy / name).read_bytes())
    if data:
        data[len(data) // 2] ^= 1
    else:
        data.append(0)
    (copy / name).write_bytes(data)
    with pytest.raises(quern.QuernError, match=f"{name} was changed"):
        quern.load(copy)


@pytest.mark.parametrize("name", FILES)
def test_refuses_a_missing_file(copy, name):
    (copy / name).unlink()
    with pytest.raises(quern.QuernError, match=name):
        quern.load(copy)


def test_refuses_a_changed_manifest(copy):
    text = (copy / "manifest.json").read_text()
    (copy / "manifest.json").write_text(text.replace('"kind": "so"', '"kind": "xx"'))
    with pytest.raises(quern.QuernError, match="manifest.json was changed"):
        quern.load(copy)


@pytest.mark.parametrize("what, name", [("binary", "kernel.so"), ("launch_plan", "launch.json"),
                                        ("llvm_ir", "kernel.ll"), ("module", "module.mlir")])
def test_refuses_what_the_certificate_is_not_about(copy, what, name):
    rewrite(copy, name, (copy / name).read_bytes() + b" ")
    with pytest.raises(quern.QuernError, match=f"the certificate is about another {what} than {name}"):
        quern.load(copy)


def test_refuses_what_is_not_proved(copy):
    certificate = json.loads((copy / "certificate.json").read_text())
    certificate["verdict"] = "unknown"
    rewrite(copy, "certificate.json", json.dumps(certificate).encode())
    with pytest.raises(quern.QuernError, match="unknown, not proved"):
        quern.load(copy)
    assert "unknown" in repr(quern.load(copy, allow_unproved=True))


def test_refuses_a_name_that_leads_out_of_the_folder(copy):
    manifest = json.loads((copy / "manifest.json").read_text())
    manifest["files"]["../spec.mlir"] = "0" * 64
    manifest["self_sha256"] = bundle._self_digest(manifest)
    (copy / "manifest.json").write_text(json.dumps(manifest))
    with pytest.raises(quern.QuernError, match="'../spec.mlir'"):
        quern.load(copy)


@pytest.mark.parametrize("text", ["", "[]", "{}", '{"version": 2}', '{"version": 1, "self_sha256": 3}', "\xff"])
def test_refuses_nonsense(tmp_path, text):
    with pytest.raises(quern.QuernError):
        quern.load(tmp_path)
    (tmp_path / "manifest.json").write_text(text)
    with pytest.raises(quern.QuernError):
        quern.load(tmp_path)


def test_knows_every_feature_of_this_cpu(matmul):
    assert host.missing(bundle.read(matmul).features) == []


def test_refuses_a_kernel_for_another_cpu():
    with pytest.raises(quern.QuernError, match="not-there"):
        host.check("x86_64", "+sse2,-avx512f,+not-there")
    with pytest.raises(quern.QuernError, match="sm_90a"):
        host.check("sm_90a", "")
