"""``python -m nvfuser``: see :mod:`nvfuser.cli`."""

from nvfuser.cli import main

if __name__ == "__main__":
    main()
