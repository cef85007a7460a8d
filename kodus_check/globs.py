"""Globs in gitignore syntax over repository paths, as people know them from ``.gitignore``."""

import re
from collections.abc import Iterable

from kodus_check.errors import ConfigError
from kodus_check.model import RepoPath


class Globs:
    """``path in globs`` says whether any pattern matches; later patterns win, ``!`` takes back."""

    def __init__(self, patterns: Iterable[str], *, where: str = "") -> None:
        self._spec = None
        listed = list(patterns)
        if listed:
            from pathspec import GitIgnoreSpec

            try:
                self._spec = GitIgnoreSpec.from_lines(listed)
            except (ValueError, re.error) as error:
                raise ConfigError(f"not a glob: {error}", where=where) from None

    def __contains__(self, path: RepoPath) -> bool:
        return self._spec is not None and self._spec.match_file(str(path))
