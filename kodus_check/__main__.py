"""``python -m kodus_check`` is the same program as ``kodus-check``."""

from kodus_check.cli import main

main()
