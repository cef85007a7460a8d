"""The model layer: reads the change and the guides with read-only tools, and proposes. Nothing is published on its word."""
