"""GitHub's API: reads that are repeated, writes that are sent once.

T1  a library repeats a write whose answer was lost, and the comment stands twice  -> its retries are off; who writes reads back
T2  a secondary limit, answered by hammering on                                    -> the server's own wait, up to a cap
T3  the token in a message or a log                                                -> errors carry status and message alone
"""

import logging
import re
import time
from collections.abc import Callable, Iterator, Mapping
from typing import Any, Literal

from kodus_check.text import one_line, shorten

WAITS = (1.0, 2.0, 4.0)
"""Seconds before each repetition of a read."""
MAX_WAIT = 60.0
PAGE = 100
MAX_PAGES = 100
TIMEOUT = 30
PAUSE = 1.0
"""Seconds between two writes, as GitHub asks for."""


class ApiError(Exception):
    """What the server answered. ``status`` 0: nothing that could be read, so a write may have happened or not."""

    def __init__(self, status: int, message: str, retry_after: float | None = None) -> None:
        super().__init__(f"GitHub answers {status or 'nothing that can be read'}: {message}")
        self.status = status
        self.message = message
        self.retry_after = retry_after

    @property
    def unknown(self) -> bool:
        """Whether a write may have happened all the same."""
        return self.status == 0 or self.status >= 500

    @property
    def limited(self) -> bool:
        """Whether it is a rate limit."""
        return self.status == 429 or (self.status == 403 and "rate limit" in self.message.lower())

    def wait(self, otherwise: float) -> float:
        """Seconds to wait: what the server asks for; a minute where it is a limit that does not say; else ``otherwise``."""
        return self.retry_after if self.retry_after is not None else MAX_WAIT if self.limited else otherwise


class GitHub:
    """One repository (``owner/name``) through the API at ``url``."""

    def __init__(
        self, url: str, repository: str, token: str, *, sleep: Callable[[float], None] = time.sleep, pause: float = PAUSE
    ) -> None:
        from github import Auth, Github

        logging.getLogger("github").setLevel(logging.ERROR)
        client = Github(
            auth=Auth.Token(token),
            base_url=url,
            retry=None,
            timeout=TIMEOUT,
            seconds_between_requests=0,
            seconds_between_writes=pause,
        )
        self.repository = repository
        self._client = client
        self.sleep = sleep

    def close(self) -> None:
        self._client.close()

    def read(self, path: str) -> Any:
        """What is at ``path`` (below the repository, or from a leading slash); repeated where the server fails."""
        for wait in (*WAITS, None):
            try:
                return self._send("GET", path)
            except ApiError as error:
                if wait is None or not (error.unknown or error.limited):
                    raise
                asked = error.wait(wait)
                if asked > MAX_WAIT:
                    raise
                self.sleep(asked)
        raise AssertionError("the last try returns or raises")

    def pages(self, path: str) -> Iterator[dict[str, Any]]:
        """Every item of a list, page by page."""
        joint = "&" if "?" in path else "?"
        for number in range(1, MAX_PAGES + 1):
            items = self.read(f"{path}{joint}per_page={PAGE}&page={number}")
            if not isinstance(items, list):
                raise ApiError(0, f"no list at {path}")
            yield from (item for item in items if isinstance(item, dict))
            if len(items) < PAGE:
                return

    def write(self, verb: Literal["POST", "PATCH", "DELETE"], path: str, body: dict[str, Any]) -> Any:
        """Sends a write once. An ApiError that is ``unknown`` leaves open whether it happened."""
        return self._send(verb, path, body)

    def _send(self, verb: str, path: str, body: dict[str, Any] | None = None) -> Any:
        from github import GithubException
        from requests import RequestException

        url = path if path.startswith("/") else f"/repos/{self.repository}/{path}"
        try:
            _, data = self._client.requester.requestJsonAndCheck(verb, url, headers=_HEADERS, input=body)
        except GithubException as error:
            raise error_of(error.status, error.data, error.headers or {}) from None
        except (RequestException, OSError, ValueError) as error:
            raise ApiError(0, type(error).__name__) from None
        return data


_NUMBER = re.compile(r"[0-9]{1,12}")
_HEADERS = {"X-GitHub-Api-Version": "2022-11-28"}


def error_of(status: int, data: object, headers: Mapping[str, str]) -> ApiError:
    """The error that an answer is, with the seconds that the server asks to wait."""
    message = ""
    if isinstance(data, dict):
        parts = [str(data.get("message") or "")]
        errors = data.get("errors")
        if isinstance(errors, list):
            parts += [str(one.get("message", one) if isinstance(one, dict) else one) for one in errors[:5]]
        message = "; ".join(part for part in parts if part)
    lowered = {str(name).lower(): value for name, value in headers.items()}
    wait, reset = lowered.get("retry-after", ""), lowered.get("x-ratelimit-reset", "")
    seconds = None
    if _NUMBER.fullmatch(wait):
        seconds = float(wait)
    elif lowered.get("x-ratelimit-remaining") == "0" and _NUMBER.fullmatch(reset):
        seconds = max(0.0, float(reset) - time.time())
    return ApiError(status, shorten(one_line(message), 300), seconds)
