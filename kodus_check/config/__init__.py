"""The team's configuration, read from the base as data: `.kodus-check.yml`, its errors with their places, its defaults."""
