"""`python -m handlers` is `tailback`; Ctrl-C leaves no traceback, not even while the program is still loading."""

import sys


def main() -> None:
    try:
        from handlers.cli import main as run

        run()
    except KeyboardInterrupt:
        sys.exit(130)


if __name__ == "__main__":
    main()
