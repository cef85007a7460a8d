"""What a tool may do and see: one place for all tools, with a reason for each verdict.

T1  a tool that writes, runs or fetches is asked for                      -> only known read tools exist; all others are refused
T2  a path that leaves the repository, in any spelling                    -> refused as text before anything is looked up
T3  a link, a submodule or a huge file in the tree                        -> typed reasons, never followed
T4  files with secrets, by any road (tools, search, diff, inventory)      -> private globs, in any case, on both names of a file
"""

import re
from collections.abc import Iterable
from dataclasses import dataclass

from kodus_check.errors import UsageError
from kodus_check.git.trees import LFS_POINTER, Entry
from kodus_check.globs import Globs
from kodus_check.model import ChangedFile, RepoPath

READ_TOOLS = frozenset(
    {
        "read_file",
        "list_files",
        "search_text",
        "search_code",
        "skill",
        "read_skill_file",
        "run_cli",
        "report_findings",
        "report_verdicts",
    }
)
REFUSED_TOOLS = {
    name: reason
    for reason, names in (
        (
            "it writes",
            ("write_file", "edit_file", "edit", "write", "apply_patch", "create_file", "delete_file", "move_file", "notebook_edit"),
        ),
        ("it runs programs", ("bash", "shell", "run", "exec", "execute", "terminal", "run_command", "python", "computer")),
        ("it reaches the network", ("fetch", "web_fetch", "web_search", "browser", "http", "curl", "download")),
        ("it starts other agents", ("agent", "task", "spawn", "delegate", "workflow")),
    )
    for name in names
}
DEFAULT_PRIVATE = (
    ".env", ".env.*", "!.env.example", "!.env.sample", "!.env.template", "*.pem", "*.key", "*.p12", "*.pfx", "*.jks",
    "*.keystore", "*.kdbx", "id_rsa*", "id_ed25519*", "id_ecdsa*", "id_dsa*", "!*.pub", ".netrc", "_netrc", ".npmrc",
    ".pypirc", ".git-credentials", ".htpasswd", ".aws/", ".ssh/", ".gnupg/", "secrets/", ".docker/config.json",
    "kubeconfig", "*.kubeconfig", "credentials.json", "credentials-*.json", "service-account*.json",
    "service_account*.json", "*.tfstate", "*.tfstate.*", "*.tfvars", "!*.tfvars.example", ".vault-token", "*.ppk",
)  # fmt: skip
MAX_PATH = 1_024

_CONTROL = re.compile(r"[\x00-\x1f\x7f]")
_SCHEME = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*:")


@dataclass(frozen=True, slots=True)
class Verdict:
    """``reason`` says why something is not allowed; "" when it is."""

    reason: str = ""

    @property
    def allowed(self) -> bool:
        return not self.reason


ALLOWED = Verdict()


def tool_verdict(name: str) -> Verdict:
    """Whether there is such a tool. What is not known is refused."""
    if name in READ_TOOLS:
        return ALLOWED
    if name.lower() in REFUSED_TOOLS:
        return Verdict(f"`{name}` is not offered: {REFUSED_TOOLS[name.lower()]}, and a review only reads")
    return Verdict(f"`{name}` is not known, so it is not offered")


class Policy:
    """The private files of one run: the defaults and what the base's configuration adds."""

    def __init__(self, private: Iterable[str] = ()) -> None:
        folded = [glob.lower() for glob in (*DEFAULT_PRIVATE, *private)]
        self._private = Globs(folded)

    def is_private(self, path: RepoPath) -> bool:
        return RepoPath(path.raw.lower()) in self._private

    def may_show(self, file: ChangedFile) -> Verdict:
        """Whether a changed file may be shown, under both of its names."""
        names = [file.path, *([file.old_path] if file.old_path else [])]
        return Verdict("it is private") if any(self.is_private(name) for name in names) else ALLOWED

    def path(self, text: str) -> RepoPath | Verdict:
        """The path that a text means, or why it means none."""
        if len(text) > MAX_PATH:
            return Verdict(f"a path has at most {MAX_PATH:,} characters")
        if _CONTROL.search(text):
            return Verdict("a path holds no control characters")
        if "%" in text and re.search(r"%(?:2e|2f|5c|00)", text, re.IGNORECASE):
            return Verdict("a path holds no percent escapes")
        if text.startswith("~") or _SCHEME.match(text):
            return Verdict("a path is relative to the root of the repository")
        try:
            path = RepoPath.parse(text)
        except UsageError as error:
            return Verdict(error.what)
        return Verdict("this file is private and is not shown") if self.is_private(path) else path

    def entry(self, entry: Entry, data: bytes | None, size: int) -> Verdict:
        """Whether a file of the tree can be shown, by what it is; ``data`` is None where it is too large."""
        if entry.why_not_read:
            return Verdict(f"this is a {entry.why_not_read}, and those are not followed")
        if data is None:
            return Verdict(f"this file has {size:,} bytes, which is too large to read")
        if data.startswith(LFS_POINTER):
            return Verdict("this is a Git LFS pointer; what it points to is not in the repository")
        if b"\0" in data[:8_192]:
            return Verdict(f"this is a binary file of {size:,} bytes")
        return ALLOWED
