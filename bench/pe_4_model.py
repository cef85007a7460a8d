# ruff: noqa: E501 - commands and configurations stand on a line
"""PE-4: prompt tokens by part against diff and guides, wall time with an instant model and with a slow one.

The model is a small HTTP server on loopback that speaks Chat Completions and reports nothing, at once or after a while.
"""

import json
import os
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

from bench.inputs import git, memory_folder, repository
from bench.measure import command, row, seconds
from kodus_check.guides import tokens

GUIDE = "\n".join(
    f"- Rule {number}: every handler of kind {number} logs its errors and never swallows them." for number in range(120)
)


@contextmanager
def model(delay: float = 0.0) -> Iterator[str]:
    """A model that reports nothing after ``delay`` seconds; gives its base URL."""
    reply = {
        "id": "x",
        "object": "chat.completion",
        "created": 1,
        "model": "bench",
        "choices": [
            {
                "index": 0,
                "finish_reason": "tool_calls",
                "message": {
                    "role": "assistant",
                    "content": None,
                    "tool_calls": [
                        {"id": "c", "type": "function", "function": {"name": "report_findings", "arguments": '{"findings": []}'}}
                    ],
                },
            }
        ],
        "usage": {"prompt_tokens": 100, "completion_tokens": 10, "total_tokens": 110},
    }
    body = json.dumps(reply).encode()

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_POST(self) -> None:
            self.rfile.read(int(self.headers["Content-Length"]))
            time.sleep(delay)
            self.send_response(200)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_: object) -> None:
            return

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield f"http://127.0.0.1:{server.server_address[1]}/v1"
    finally:
        server.shutdown()


def guided(path: Path, *, agents: int = 0) -> Path:
    """The repository with a guide and a model in its configuration, on both branches."""
    named = "".join(f"  a{number}: {{docs: [docs/rules.md]}}\n" for number in range(agents))
    git(path, "checkout", "-q", "main")
    (path / "docs").mkdir(exist_ok=True)
    (path / "docs" / "rules.md").write_text(f"# Rules\n\n{GUIDE}\n")
    main = (
        "{docs: [], skills: [], rules: [sgconfig.yml]}" if agents else "{docs: [docs/rules.md], skills: [], rules: [sgconfig.yml]}"
    )
    text = f"model: openai-chat:bench\nfail_on: never\nlimits: {{tokens: 20000000, requests: 2000, seconds: 3600}}\nmain_review: {main}\n"
    (path / ".kodus-check.yml").write_text(text + (f"agents:\n{named}" if named else ""))
    git(path, "add", "--all", "--force")
    git(path, "commit", "-q", "-m", "guide")
    git(path, "checkout", "-q", "head")
    git(path, "merge", "-q", "--no-edit", "main")
    return path


def main() -> None:
    cache = Path(sys.argv[1] if len(sys.argv) > 1 else ".bench")
    with memory_folder() as folder, model() as instant, model(2.0) as slow:
        for files in (3, 19, 3000):
            path = guided(repository(folder, cache, most=files, rules=3))
            _tokens(path, files)
            if files == 19:
                floor = seconds(command([sys.executable, "-c", "import pydantic_ai, pydantic_ai.models.openai"]))
                took = seconds(lambda path=path: _run(path, instant), times=3)
                row("19 files, instant model: wall", f"{took:.2f} s", f"one-off import of the agent layer {floor:.2f} s")
        four = guided(repository(folder, cache, most=4, rules=3), agents=4)
        alone, together = (seconds(lambda base=base: _run(four, base), times=1) for base in (instant, slow))
        row("four agents, each reply after 2 s", f"{together - alone:.2f} s more", "(the slowest, not the sum: 2 s)")


def _tokens(path: Path, files: int) -> None:
    arguments = [
        sys.executable,
        "-m",
        "kodus_check",
        "try",
        "--show-prompt",
        "--repo",
        str(path),
        "--base",
        "main",
        "--head",
        "head",
    ]
    shown = json.loads(subprocess.run([*arguments, "--format", "json"], check=True, capture_output=True).stdout)["prompts"]
    diff = tokens.count(git(path, "diff", "main...head").decode("utf-8", "replace"))
    guides = len(shown) * tokens.count(GUIDE)
    total = sum(one["tokens"]["in all"] for one in shown)
    parts = {name: sum(one["tokens"][name] for one in shown) for name in shown[0]["tokens"] if name != "in all"}
    covered = len({name for one in shown for name in one["files"]})
    row(f"{files:,} files: prompt tokens over diff and guides", f"{total / (diff + guides):.2f} x", "(goal 1.35)")
    told = ", ".join(f"{name} {count:,}" for name, count in parts.items())
    row(f"{files:,} files: {covered:,} with text in {len(shown)} batches", f"{total:,}", told)


def _run(path: Path, base: str) -> bytes:
    arguments = [
        sys.executable,
        "-m",
        "kodus_check",
        "run",
        "--repo",
        str(path),
        "--base",
        "main",
        "--head",
        "head",
        "--format",
        "json",
    ]
    done = subprocess.run(arguments, check=True, capture_output=True, env={**os.environ, "OPENAI_BASE_URL": base})
    assert json.loads(done.stdout)["outcome"] in ("clean", "findings"), done.stdout[-2000:]
    return done.stdout


if __name__ == "__main__":
    main()
