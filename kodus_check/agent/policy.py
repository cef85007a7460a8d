"""What a tool may do and see: one place for all tools, with a reason for each verdict.

T1  a tool that writes, runs or fetches is asked for                      -> only known read tools exist; all others are refused
T2  a path that leaves the repository, in any spelling                    -> refused as text before anything is looked up
T3  a link, a submodule or a huge file in the tree                        -> typed reasons, never followed
T4  files with secrets, by any road (tools, search, diff, inventory)      -> private globs, in any case, on both names of a file
T5  a configuration, or a file's new name, that opens what is private     -> the defaults cannot be taken back; renames are known
"""

import unicodedata
from collections.abc import Iterable
from dataclasses import dataclass
from enum import StrEnum
from re import IGNORECASE
from re import compile as regex

from kodus_check.errors import UsageError
from kodus_check.git.trees import LFS_POINTER, Entry
from kodus_check.globs import Globs
from kodus_check.model import Change, ChangedFile, RepoPath

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
            ("write_file", "edit_file", "edit", "multiedit", "write", "apply_patch", "patch", "str_replace", "create_file",
             "delete_file", "move_file", "rename_file", "create_directory", "notebookedit", "notebook_edit"),
        ),
        (
            "it runs programs",
            ("bash", "shell", "run", "exec", "execute", "terminal", "run_command", "run_terminal_cmd", "powershell", "python",
             "eval", "repl", "computer"),
        ),
        ("it reaches the network", ("fetch", "webfetch", "web_fetch", "websearch", "web_search", "browser", "http", "curl", "wget",
                                    "download")),
        ("it starts other agents", ("agent", "subagent", "task", "spawn", "delegate", "workflow")),
    )
    for name in names
}  # fmt: skip
DEFAULT_PRIVATE = (
    ".env", ".env.*", "!.env.example", "!.env.sample", "!.env.template", "!.env.dist", ".envrc", "*.pem", "*.key", "*.p12",
    "*.pfx", "*.jks", "*.keystore", "*.kdbx", "*.ppk", "id_rsa*", "id_ed25519*", "id_ecdsa*", "id_dsa*", "!id_*.pub", ".netrc",
    "_netrc", ".npmrc", ".pypirc", ".git-credentials", ".htpasswd", ".pgpass", ".vault-token", "kubeconfig", "*.kubeconfig",
    "credentials*.json", "service-account*.json", "service_account*.json", "*.tfstate", "*.tfstate.*", "*.tfvars",
    "**/.docker/config.json", "**/.kube/config",
)  # fmt: skip
PRIVATE_FOLDERS = (".aws/", ".ssh/", ".gnupg/", "secrets/")
"""Apart from the globs above, of which the ones with ``!`` would take back files in these."""
MAX_PATH = 1_024

_CONTROL = regex(r"[\x00-\x1f\x7f-\x9f]")
_SCHEME = regex(r"[A-Za-z][A-Za-z0-9+.-]*:")
_ESCAPE = regex(r"%(?:25)*(?:2e|2f|5c|00)", IGNORECASE)
_LOOKED_AT = 8_192


class Refusal(StrEnum):
    """The kinds of reasons."""

    REFUSED_TOOL = "refused tool"
    UNKNOWN_TOOL = "unknown tool"
    BAD_PATH = "bad path"
    PRIVATE = "private"
    SYMLINK = "symlink"
    SUBMODULE = "submodule"
    LFS = "Git LFS pointer"
    BINARY = "binary"
    TOO_LARGE = "too large"


@dataclass(frozen=True, slots=True)
class Verdict:
    """``reason`` says in words why something is not allowed, ``refusal`` is its kind; "" and None when it is."""

    reason: str = ""
    refusal: Refusal | None = None

    @property
    def allowed(self) -> bool:
        return self.refusal is None


ALLOWED = Verdict()
PRIVATE = Verdict("this file is private and is not shown", Refusal.PRIVATE)


def tool_verdict(name: str) -> Verdict:
    """Whether there is such a tool. What is not known is refused."""
    if name in READ_TOOLS:
        return ALLOWED
    reason = REFUSED_TOOLS.get(name.lower())
    if reason:
        return Verdict(f"`{name}` is not offered: {reason}, and a review only reads", Refusal.REFUSED_TOOL)
    return Verdict(f"`{name}` is not known, so it is not offered", Refusal.UNKNOWN_TOOL)


class Policy:
    """The private files of one run: the defaults, what the base's configuration adds, and their other names in the change."""

    def __init__(self, private: Iterable[str] = (), *, aliases: frozenset[RepoPath] = frozenset()) -> None:
        """``private`` are globs that only add to the defaults; ``aliases`` are paths that are private by another name."""
        self._configured = tuple(private)
        self._globs = (Globs(DEFAULT_PRIVATE), Globs(PRIVATE_FOLDERS), Globs(_folded(glob) for glob in self._configured))
        self._aliases = aliases
        self._known: dict[RepoPath, Verdict] = {}

    def knowing(self, change: Change) -> "Policy":
        """This policy, to which a file with one private name in the change is private under both, on both sides (T5)."""
        found = {
            name
            for file in change.files
            if file.old_path is not None and not self.may_show(file).allowed
            for name in (file.path, file.old_path)
        }
        return Policy(self._configured, aliases=self._aliases | found)

    def may_see(self, path: RepoPath) -> Verdict:
        """Whether the file at ``path`` may be shown, as far as its name goes."""
        known = self._known.get(path)  # trees are walked again and again, and a match costs more than all the rest of a walk
        if known is None:
            folded = RepoPath(_folded(str(path)).encode())
            private = path in self._aliases or any(folded in globs for globs in self._globs)
            known = self._known[path] = PRIVATE if private else ALLOWED
        return known

    def may_show(self, file: ChangedFile) -> Verdict:
        """Whether a changed file may be shown, under both of its names."""
        names = [file.path, *([file.old_path] if file.old_path else [])]
        return next((verdict for name in names if not (verdict := self.may_see(name)).allowed), ALLOWED)

    def check_path(self, text: str) -> RepoPath | Verdict:
        """The path that a text means, or why it means none that may be seen."""
        reason = _why_no_path(text)
        if reason:
            return Verdict(reason, Refusal.BAD_PATH)
        try:
            path = RepoPath.parse(text)
        except UsageError as error:
            return Verdict(error.what, Refusal.BAD_PATH)
        verdict = self.may_see(path)
        return path if verdict.allowed else verdict

    def entry(self, entry: Entry, data: bytes | None, size: int) -> Verdict:
        """Whether a file of the tree can be shown, by what it is; ``data`` is None where it is too large."""
        if entry.why_not_read:
            return Verdict(f"this is a {entry.why_not_read}, and those are not followed", Refusal(entry.why_not_read))
        if data is None:
            return Verdict(f"this file has {size:,} bytes, which is too large to read", Refusal.TOO_LARGE)
        if data.startswith(LFS_POINTER):
            return Verdict("this is a Git LFS pointer; what it points to is not in the repository", Refusal.LFS)
        if b"\0" in data[:_LOOKED_AT]:
            return Verdict(f"this is a binary file of {size:,} bytes", Refusal.BINARY)
        return ALLOWED


def _folded(text: str) -> str:
    """``text`` as names are compared: in any case, and however its accents are put together."""
    return unicodedata.normalize("NFC", text).lower()


def _why_no_path(text: str) -> str:
    if len(text) > MAX_PATH:
        return f"a path has at most {MAX_PATH:,} characters"
    if _CONTROL.search(text):
        return "a path holds no control characters"
    if _ESCAPE.search(text):
        return "a path holds no percent escapes"
    if text.startswith("~") or _SCHEME.match(text):
        return "a path is relative to the root of the repository"
    return ""
