"""Containers of one image, started as Docker starts them: root, Docker's capabilities; no network unless one is named."""

import json
import shutil
import subprocess
import tempfile
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

DOCKER_CAPABILITIES = (
    "AUDIT_WRITE,CHOWN,DAC_OVERRIDE,FOWNER,FSETID,KILL,MKNOD,NET_BIND_SERVICE,NET_RAW,SETFCAP,SETGID,SETPCAP,SETUID,SYS_CHROOT"
)


_NEW_USER_NAMESPACE = 0x10000000
DOCKER_DENIES = {
    "defaultAction": "SCMP_ACT_ALLOW",
    "syscalls": [
        {"names": ["unshare", "setns", "mount", "umount2", "pivot_root", "bpf"], "action": "SCMP_ACT_ERRNO", "errnoRet": 1},
        {
            "names": ["clone"],
            "action": "SCMP_ACT_ERRNO",
            "errnoRet": 1,
            "args": [{"index": 0, "value": _NEW_USER_NAMESPACE, "valueTwo": _NEW_USER_NAMESPACE, "op": "SCMP_CMP_MASKED_EQ"}],
        },
        {"names": ["clone3"], "action": "SCMP_ACT_ERRNO", "errnoRet": 38},
    ],
}
"""The part of Docker's default profile that these tests meet: without CAP_SYS_ADMIN there are no new namespaces and mounts."""


@dataclass(frozen=True, slots=True)
class Done:
    exit_code: int
    stdout: str
    stderr: str


@dataclass(frozen=True, slots=True)
class Containers:
    image: str
    network: str = "none"

    def run(
        self,
        *arguments: str,
        options: Iterable[str] = (),
        env: Mapping[str, str] | None = None,
        mounts: Mapping[Path, str] | None = None,
        entrypoint: str | None = None,
        capabilities: str = DOCKER_CAPABILITIES,
    ) -> Done:
        """Runs the image to its end. ``mounts`` are host path to container path, with ``:ro`` where that is meant."""
        with tempfile.NamedTemporaryFile("w", suffix=".json") as profile:
            json.dump(DOCKER_DENIES, profile)
            profile.flush()
            return self._run(
                [
                    *([f"--cap-add={capabilities}"] if capabilities else []),
                    f"--security-opt=seccomp={profile.name}",
                    *options,
                    *(f"--env={name}={value}" for name, value in (env or {}).items()),
                    *(f"--volume={host}:{inside}" for host, inside in (mounts or {}).items()),
                    *([f"--entrypoint={entrypoint}"] if entrypoint else []),
                ],
                arguments,
            )

    def command(self, options: Sequence[str], arguments: Sequence[str]) -> list[str]:
        return [
            "podman", "--runtime", shutil.which("runc", path="/usr/sbin:/usr/bin:/usr/local/sbin") or "runc",
            "run", "--rm", "--pull=never", f"--network={self.network}",
            "--cap-drop=ALL", "--ulimit=nofile=1024:4096", "--ulimit=nproc=4096:4096",
            *options, self.image, *arguments,
        ]  # fmt: skip

    def _run(self, options: Sequence[str], arguments: Sequence[str]) -> Done:
        done = subprocess.run(self.command(options, arguments), capture_output=True, text=True, check=False, timeout=120)
        assert done.returncode not in (125, 126), done.stderr  # podman itself failed
        return Done(done.returncode, done.stdout, done.stderr)

    def file(self, module: str) -> str:
        """Where a module lies in the image."""
        code = f"import importlib.util; print(importlib.util.find_spec({module!r}).origin)"
        return self.run("-I", "-c", code, entrypoint="/opt/venv/bin/python").stdout.strip()
