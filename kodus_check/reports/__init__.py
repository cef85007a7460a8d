"""A Review written down: for people at a terminal, for scripts, for other tools."""
