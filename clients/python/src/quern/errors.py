"""What goes wrong, and how it is said."""


class QuernError(Exception):
    """No kernel, or not this one: the message says why and what would help."""


class QuernWarning(UserWarning):
    """A function runs without quern, and why."""
