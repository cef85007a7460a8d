"""Markdown as people see it: which text is visible, in which block it stands, and where each character is in the source."""
