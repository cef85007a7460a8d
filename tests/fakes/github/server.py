"""HTTP: from the socket to an operation and back, with the checks of the description, the faults and the record of all requests."""

import json
import socket
import time
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from itertools import count
from threading import Event, RLock, Thread
from typing import Any
from urllib.parse import parse_qsl, urlencode, urlsplit

from tests.fakes.contract import Json
from tests.fakes.github import graph
from tests.fakes.github.faults import Fault, Faults
from tests.fakes.github.operations import HANDLERS, Call
from tests.fakes.github.replies import (
    Reply,
    bad_gateway,
    forbidden,
    locked_issue,
    locked_review,
    not_found,
    primary_limit,
    read_only,
    refusal,
    secondary_limit,
)
from tests.fakes.github.reviewing import remove_comment
from tests.fakes.github.routes import Operation, find, reply_problems, request_problems
from tests.fakes.github.state import Token, World
from tests.fakes.github.views import Views

_ABSENT = object()


@dataclass(frozen=True)
class Seen:
    """One request as it came in, and what became of it. ``status`` is 0 if no answer was sent."""

    method: str
    path: str
    query: Mapping[str, str]
    body: Any
    authorization: str | None
    headers: Mapping[str, str]
    operation: str
    login: str
    fault: str
    status: int


@dataclass(frozen=True)
class Violation:
    """Something the published description does not allow: sent by the client, or (``by`` is "fake") answered by the fake."""

    by: str
    method: str
    path: str
    problem: str


class _Refused(Exception):
    def __init__(self, reply: Reply) -> None:
        self.reply = reply


class Service:
    """Answers requests. One at a time changes the state; faults that wait or that push run outside of that."""

    def __init__(self, world: World) -> None:
        self.world = world
        self.views = Views(world)
        self.faults = Faults()
        self.requests: list[Seen] = []
        self.violations: list[Violation] = []
        self.rate_limit = 1000
        self.used = 0
        self.stopping = Event()
        self._lock = RLock()
        self._numbers = count(1)

    def _violates(self, by: str, method: str, path: str, problems: list[str]) -> None:
        self.violations += [Violation(by, method, path, problem) for problem in problems]

    def token(self, header: str | None) -> Token | None:
        """The token of an authorization header; a wrong one is refused, none is somebody unknown."""
        if header is None:
            return None
        scheme, _, value = header.partition(" ")
        token = self.world.tokens.get(value)
        if scheme.lower() not in {"token", "bearer"} or token is None:
            raise _Refused(refusal(401, "Bad credentials"))
        return token

    def _checked(self, method: str, path: str, query: Mapping[str, str], body: Any) -> tuple[Operation, dict[str, str]]:
        found = find(method, path)
        if found is None:
            self._violates("client", method, path, ["no such operation"])
            raise _Refused(not_found())
        operation, values = found
        if problems := request_problems(operation, values, query, None if body is _ABSENT else body, sent=body is not _ABSENT):
            self._violates("client", method, path, problems)
            raise _Refused(refusal(400, "Not in the published description: " + "; ".join(problems)))
        return operation, values

    def _allowed(self, operation: Operation, token: Token | None) -> None:
        _, permissions, level = HANDLERS[operation.id]
        if token is None:
            if level == "write":
                raise _Refused(refusal(401, "Requires authentication"))
            if self.world.private and operation.id != "rate-limit/get":
                raise _Refused(not_found())
        elif permissions and not token.may(permissions, level):
            raise _Refused(forbidden(token))

    def _rest(self, method: str, path: str, query: Mapping[str, str], body: Any, token: Token | None, fault: Fault | None) -> Reply:
        operation, values = self._checked(method, path, query, body)
        call = Call(self.world, self.views, token, values, query, {} if body is _ABSENT or body is None else body)
        known = list(self.world.comments)
        try:
            reply = self._performed(operation, call)
        except _Refused as refused:
            reply = refused.reply
        if reply.rows is not None:
            reply = self._page(path, query, reply)
        if fault and fault.kind == "drop_comment":
            added = [comment for comment in self.world.comments if comment not in known]
            if added:
                remove_comment(self.world, added[fault.index])
        self._violates("fake", method, path, reply_problems(operation, reply.status, reply.body))
        return reply

    def _performed(self, operation: Operation, call: Call) -> Reply:
        if "owner" in call.values and f"{call.values['owner']}/{call.values['repo']}" != self.world.full_name:
            return not_found()
        self._allowed(operation, call.token)
        reply = HANDLERS[operation.id][0](call)
        if operation.id == "rate-limit/get":
            self._show_budget(reply.body)
        return reply

    def _page(self, path: str, query: Mapping[str, str], reply: Reply) -> Reply:
        """One page of a list, with links to the others."""
        rows = reply.rows or ()
        size = min(max(int(query.get("per_page", 30)), 1), 100)
        number = max(int(query.get("page", 1)), 1)
        last = max(1, -(-len(rows) // size))
        wanted = {"prev": number - 1, "next": number + 1, "last": last, "first": 1}
        if number >= last:
            wanted = {"prev": min(number - 1, last), "first": 1} if number > 1 else {}
        elif number == 1:
            wanted = {"next": 2, "last": last}
        links = [
            f'<{self.world.url}{path}?{urlencode({**query, "page": page})}>; rel="{relation}"' for relation, page in wanted.items()
        ]
        shown = [reply.view(row) for row in rows[(number - 1) * size : number * size]]
        return Reply(reply.status, shown, {"link": ", ".join(links)} if links else {})

    def budget(self) -> dict[str, int]:
        return {"limit": self.rate_limit, "remaining": max(self.rate_limit - self.used, 0), "reset": self.reset, "used": self.used}

    @property
    def reset(self) -> int:
        return int(time.time()) + 60

    def _show_budget(self, body: Json) -> None:
        body["rate"] = self.budget()
        body["resources"]["core"] = self.budget()

    def _spent(self) -> Reply | None:
        """The refusal of a client that has used up its hour."""
        return primary_limit(403, self.reset) if self.used > self.rate_limit else None

    def _before(self, fault: Fault | None, path: str) -> Reply | None:
        """The answer of a fault that keeps the request from happening."""
        if fault is None:
            return None
        made = {
            "before": bad_gateway,
            "secondary": lambda: secondary_limit(fault.status, fault.retry_after),
            "primary": lambda: primary_limit(fault.status, self.reset),
            "read_only": read_only,
            "unprocessable": lambda: Reply(422, fault.body),
            "locked": locked_issue if "/issues/" in path else locked_review,
        }.get(fault.kind)
        return made() if made else None

    def _handle(
        self, method: str, path: str, query: Mapping[str, str], body: Any, token: Token | None, fault: Fault | None
    ) -> Reply:
        if path == "/graphql" and method == "POST":
            if problems := graph.body_problems(body):
                self._violates("client", method, path, problems)
                return refusal(400, "; ".join(problems))
            reply, problems = graph.answer(self.world, token, body)
            self._violates("client", method, path, problems)
            return reply
        return self._rest(method, path, query, body, token, fault)

    def _below(self, path: str) -> str:
        """A path without what an Enterprise server puts before it; one that lacks that is no operation."""
        if not self.world.prefix:
            return path
        if path == "/api/graphql":
            return "/graphql"
        return path.removeprefix(self.world.prefix) if path.startswith(f"{self.world.prefix}/") else f"/without/api/v3{path}"

    def serve(self, method: str, target: str, headers: Mapping[str, str], raw: bytes) -> tuple[Reply | None, Fault | None]:
        """The answer to a request (None: there is none) and the fault that happened to it."""
        split = urlsplit(target)
        path, query = self._below(split.path), dict(parse_qsl(split.query, keep_blank_values=True))
        body: Any = _ABSENT
        fault = self.faults.take(method, path)
        if fault and fault.kind == "moved_head" and fault.run:
            fault.run()
        token, reply = None, None
        try:
            if raw:
                body = json.loads(raw)
            token = self.token(headers.get("authorization"))
            if fault and fault.kind == "hang":
                self.stopping.wait(fault.seconds)
            else:
                with self._lock, self.world.truth.still():
                    self.used += path != "/rate_limit"
                    reply = self._spent() or self._before(fault, path) or self._handle(method, path, query, body, token, fault)
        except json.JSONDecodeError:
            self._violates("client", method, path, ["body: not JSON"])
            reply = refusal(400, "Problems parsing JSON")
        except _Refused as refused:
            reply = refused.reply
        if fault and fault.kind == "after":
            reply = bad_gateway()
        found = find(method, path)
        self.requests.append(
            Seen(
                method=method,
                path=path,
                query=query,
                body=None if body is _ABSENT else body,
                authorization=headers.get("authorization"),
                headers=headers,
                operation=found[0].id if found else "graphql" if path == "/graphql" else "",
                login=token.account.login if token else "",
                fault=fault.kind if fault else "",
                status=reply.status if reply else 0,
            )
        )
        return reply, fault

    def headers(self, token_given: bool) -> dict[str, str]:
        """Headers of every answer."""
        budget = self.budget()
        return {
            "x-github-request-id": f"FAKE:{next(self._numbers)}",
            "x-github-media-type": "github.v3; format=json",
            "x-ratelimit-resource": "core",
            **{f"x-ratelimit-{name}": str(value) for name, value in budget.items()},
        } | ({"vary": "Authorization"} if token_given else {})


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server_version = "github.com"
    disable_nagle_algorithm = True
    server: "Server"

    def log_message(self, format: str, *args: Any) -> None:  # noqa: A002 - the name in the standard library
        """Nothing: the record of requests is the log."""

    def _answer(self) -> None:
        raw = self.rfile.read(int(self.headers.get("content-length") or 0))
        headers = {name.lower(): value for name, value in self.headers.items()}
        service = self.server.service
        try:
            reply, fault = service.serve(self.command, self.path, headers, raw)
        except Exception as problem:  # noqa: BLE001 - a defect of the fake is shown where tests look
            service.violations.append(Violation("fake", self.command, self.path, f"{type(problem).__name__}: {problem}"))
            reply, fault = refusal(500, f"{type(problem).__name__}: {problem}"), None
        if reply is None:
            self.close_connection = True
            return
        data = b"" if reply.status == 204 else json.dumps(reply.body).encode()
        self.send_response(reply.status)
        shown = {**service.headers("authorization" in headers), **reply.headers}
        if reply.status != 204:
            shown |= {"content-type": "application/json; charset=utf-8", "content-length": str(len(data))}
        for name, value in shown.items():
            self.send_header(name, value)
        self.end_headers()
        if fault and fault.kind == "truncate":
            data, self.close_connection = data[: len(data) // 2], True
        if self.command == "HEAD":
            data = b""
        with suppress(OSError):  # the client gave up
            self.wfile.write(data)

    do_GET = do_POST = do_PATCH = do_PUT = do_DELETE = do_HEAD = _answer  # noqa: N815 - the names the standard library calls


class Server(ThreadingHTTPServer):
    """A loopback server that can be stopped while clients keep their connections."""

    daemon_threads = True
    request_queue_size = 64

    def __init__(self, service: Service) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.service = service
        self._open: set[socket.socket] = set()
        self._workers: list[Thread] = []
        self._thread = Thread(target=self.serve_forever, kwargs={"poll_interval": 0.005}, daemon=True)

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_address[1]}"

    def start(self) -> None:
        self._thread.start()

    def process_request(self, request: Any, client_address: Any) -> None:
        self._open.add(request)
        worker = Thread(target=self.process_request_thread, args=(request, client_address), daemon=True)
        self._workers.append(worker)
        worker.start()

    def shutdown_request(self, request: Any) -> None:
        self._open.discard(request)
        super().shutdown_request(request)

    def handle_error(self, request: Any, client_address: Any) -> None:
        """A connection that broke: the client went away, which is its right."""

    def stop(self) -> None:
        self.service.stopping.set()
        self.shutdown()
        self._thread.join()
        for connection in list(self._open):
            with suppress(OSError):
                connection.shutdown(socket.SHUT_RDWR)
        for worker in self._workers:
            worker.join(5)
        self.server_close()
