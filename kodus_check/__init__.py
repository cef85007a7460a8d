"""kodus-check: judges a pull request by the team's own rules and publishes nothing it cannot prove."""

__version__ = "0.1.0"
