#!/opt/venv/bin/python -I
"""What the container starts."""

from kodus_check.broker import main

main()
