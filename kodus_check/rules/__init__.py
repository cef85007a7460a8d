"""ast-grep rules of the base, and what they match in files of head."""
