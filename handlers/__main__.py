"""`python -m handlers` is the same as `tailback`."""

from handlers.cli import main

if __name__ == "__main__":
    main()
