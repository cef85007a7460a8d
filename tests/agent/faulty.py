"""A server that breaks HTTP itself: what no well-behaved fake can do."""

import socket
import threading
import time
from types import TracebackType


class FaultyServer:
    """Answers every request on loopback with one fault: ``drop``, ``garbage``, ``empty``, ``hang`` or ``half``."""

    def __init__(self, fault: str) -> None:
        self.fault = fault
        self.requests = 0
        self._socket = socket.create_server(("127.0.0.1", 0))
        self._stopped = False

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self._socket.getsockname()[1]}/v1"

    def __enter__(self) -> "FaultyServer":
        threading.Thread(target=self._serve, daemon=True).start()
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self._stopped = True
        self._socket.close()

    def _serve(self) -> None:
        while not self._stopped:
            try:
                client, _ = self._socket.accept()
            except OSError:
                return
            threading.Thread(target=self._answer, args=(client,), daemon=True).start()

    def _answer(self, client: socket.socket) -> None:
        with client:
            head = b""
            while b"\r\n\r\n" not in head:
                part = client.recv(65_536)
                if not part:
                    return
                head += part
            self.requests += 1
            body = {"garbage": b"<html>no JSON</html>", "empty": b"{}"}.get(self.fault, b"")
            if self.fault in ("garbage", "empty"):
                answer = b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: %d\r\nConnection: close\r\n\r\n%s"
                client.sendall(answer % (len(body), body))
            elif self.fault == "half":
                client.sendall(
                    b'HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 5000\r\n\r\n{"id": "x", "choi'
                )
            elif self.fault == "hang":
                time.sleep(20)
