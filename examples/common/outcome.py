# SPDX-License-Identifier: GPL-3.0-or-later
# Copyright 2026 the gr-cldsp authors.

"""The exit status of an example, and a message for each error."""

import sys

from . import ExampleError, NoDisplay

NO_DISPLAY, CANNOT_RUN, INTERRUPTED = 1, 2, 130


def exit_status(function):
    """The return value of function(); after an error, prints it and returns a status."""
    try:
        return function()
    except NoDisplay as error:
        print(f"error: {error}", file=sys.stderr)
        return NO_DISPLAY
    except ExampleError as error:
        print(f"error: {error}", file=sys.stderr)
    except (ValueError, RuntimeError, MemoryError) as error:
        # A block refused its arguments, for example an unknown device.
        print(f"error: {error}", file=sys.stderr)
    except OSError as error:
        print(f"error: {error.filename or ''}: {error.strerror or error}", file=sys.stderr)
    except ImportError as error:
        print(f"error: {error}; is the module built, and PYTHONPATH set to its test_modules "
              "folder?", file=sys.stderr)
    except KeyboardInterrupt:
        print("\ninterrupted", file=sys.stderr)
        return INTERRUPTED
    return CANNOT_RUN
