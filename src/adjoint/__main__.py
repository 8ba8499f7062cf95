"""`python -m adjoint` is the command `adjoint`."""

from adjoint.cli.command_line import main

if __name__ == "__main__":
    raise SystemExit(main())
