"""Runs the tests in a real browser: `Scripts/web --test`."""

import sys

import accessibility  # noqa: F401
import figures  # noqa: F401
import harness
import inside  # noqa: F401
import recovery  # noqa: F401
import safety  # noqa: F401
import stories  # noqa: F401
import undo  # noqa: F401

harness.run(sys.argv[1:])
