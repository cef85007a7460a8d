"""What a release does beside building: `plan` says whether and as what, `publish` makes its commit, tags and page.

Only `release.yml` starts it. Everything it is told comes from the environment, and is checked before it is used:
GITHUB_REPOSITORY, GITHUB_REF_NAME, GITHUB_SHA, GITHUB_OUTPUT, and for `publish` the digests SLIM and TOOLS. `gh` has the token.

T1  a tag or a digest that is something else than it says    -> matched whole, before anything is asked or written
T2  a tag on a commit that nobody reviewed                   -> it has to be an ancestor of main, or main itself
T3  a run that stopped half way and is started again         -> what is there is compared; another content is an error, never moved
T4  a repair of an older version becomes what `v1` names       -> `v1` is moved to the highest version only
T5  the commit has workflows that the token may not push     -> it has none, and no parent
"""

import json
import os
import re
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

TAG = re.compile(r"v(0|[1-9]\d*)\.(0|[1-9]\d*)\.(0|[1-9]\d*)-source", re.ASCII)
COMMIT = re.compile(r"[0-9a-f]{40}")
DIGEST = re.compile(r"sha256:[0-9a-f]{64}")
REPOSITORY = re.compile(r"[A-Za-z0-9-]+/[A-Za-z0-9._-]+")
IMAGE_LINE = re.compile(r"^  image: Dockerfile$", re.MULTILINE)
FILES = ("action.yml", "README.md", "LICENSE")
"""What the commit of a release holds. The first is written anew."""


class Refused(Exception):
    """Why there is no release; nothing more is written."""


class Missing(Exception):
    """The platform has no such thing."""


def checked(environ: Mapping[str, str], name: str, pattern: re.Pattern[str]) -> str:
    """A variable that is what ``pattern`` says, from its first to its last character (T1)."""
    value = environ.get(name, "")
    if not pattern.fullmatch(value):
        raise Refused(f"{name} is {value!r}, and should look like {pattern.pattern}")
    return value


def version_of(environ: Mapping[str, str]) -> str:
    """The version that the tag asks for."""
    return checked(environ, "GITHUB_REF_NAME", TAG).removeprefix("v").removesuffix("-source")


def image_of(repository: str) -> str:
    """The name of the image; a registry knows small letters only."""
    return f"ghcr.io/{repository.lower()}"


def with_image(action: str, image: str) -> str:
    """``action.yml`` with the image by its digest in place of the Dockerfile."""
    text, count = IMAGE_LINE.subn(f"  image: docker://{image}", action)
    if count != 1:
        raise Refused(f"action.yml has {count} lines `image: Dockerfile`, and should have one")
    return text


def gh(method: str, path: str, body: Mapping[str, Any] | None = None) -> Any:
    """One request to the platform; Missing for 404."""
    told = None if body is None else json.dumps(body)
    command = ["gh", "api", "--method", method, path, *(["--input", "-"] if told else [])]
    done = subprocess.run(command, input=told, capture_output=True, text=True, check=False)
    if "(HTTP 404)" in done.stderr:
        raise Missing(path)
    if done.returncode != 0:
        raise Refused(f"{method} {path}: {done.stderr.strip()}")
    return json.loads(done.stdout)


def plan(environ: Mapping[str, str], root: Path) -> dict[str, str]:
    """The version and the image of the release that the tag asks for (T1, T2)."""
    version = version_of(environ)
    repository = checked(environ, "GITHUB_REPOSITORY", REPOSITORY)
    commit = checked(environ, "GITHUB_SHA", COMMIT)
    code = (root / "kodus_check/__init__.py").read_text(encoding="utf-8")
    if f'__version__ = "{version}"' not in code:
        raise Refused(f"the tag says {version}, and kodus_check/__init__.py does not")
    with_image((root / "action.yml").read_text(encoding="utf-8"), "an-image")
    if gh("GET", f"repos/{repository}/compare/main...{commit}")["status"] not in ("identical", "behind"):
        raise Refused("this commit is not on main")
    return {"version": version, "image": image_of(repository)}


def publish(environ: Mapping[str, str], root: Path) -> None:
    """The commit, ``v1.2.3``, the page of the release, and ``v1`` last: it is what most users follow."""
    version = version_of(environ)
    repository = checked(environ, "GITHUB_REPOSITORY", REPOSITORY)
    source = checked(environ, "GITHUB_SHA", COMMIT)
    slim, tools = (f"{image_of(repository)}@{checked(environ, name, DIGEST)}" for name in ("SLIM", "TOOLS"))
    texts = {name: (root / name).read_text(encoding="utf-8") for name in FILES}
    texts["action.yml"] = with_image(texts["action.yml"], slim)
    entries = [{"path": name, "mode": "100644", "type": "blob", "content": text} for name, text in texts.items()]
    git = f"repos/{repository}/git"
    tree = gh("POST", f"{git}/trees", {"tree": entries})["sha"]
    commit = tagged(git, f"v{version}", tree, f"kodus-check {version}\n\nMade of {source}; the images are\n{slim}\n{tools}\n")
    page(repository, version, commit, f"Made of {source}.\n\n- action, to be pinned: `{commit}`\n- `{slim}`\n- `{tools}` (tools)\n")
    moved(git, version, commit)


def tagged(git: str, tag: str, tree: str, message: str) -> str:
    """The commit at a full version's tag: a new one, or the one that is there if its tree is the same (T3, T5)."""
    try:
        there = gh("GET", f"{git}/ref/tags/{tag}")["object"]["sha"]
    except Missing:
        commit = str(gh("POST", f"{git}/commits", {"message": message, "tree": tree, "parents": []})["sha"])
        gh("POST", f"{git}/refs", {"ref": f"refs/tags/{tag}", "sha": commit})
        return commit
    if gh("GET", f"{git}/commits/{there}")["tree"]["sha"] != tree:
        raise Refused(f"{tag} is there already with another content; a version is never changed")
    return str(there)


def page(repository: str, version: str, commit: str, text: str) -> None:
    try:
        gh("GET", f"repos/{repository}/releases/tags/v{version}")
    except Missing:
        wanted = {"tag_name": f"v{version}", "target_commitish": commit, "name": version, "body": text}
        gh("POST", f"repos/{repository}/releases", wanted)


def moved(git: str, version: str, commit: str) -> None:
    """``v1`` names the commit, unless a higher 1.x is there (T4)."""
    major, *own = version.split(".")
    names = [one["ref"].removeprefix(f"refs/tags/v{major}.") for one in gh("GET", f"{git}/matching-refs/tags/v{major}.")]
    others = [tuple(map(int, name.split("."))) for name in names if re.fullmatch(r"[0-9]+\.[0-9]+", name)]
    if max(others, default=(0, 0)) > tuple(map(int, own)):
        return
    tag = f"v{major}"
    try:
        gh("GET", f"{git}/ref/tags/{tag}")
    except Missing:
        gh("POST", f"{git}/refs", {"ref": f"refs/tags/{tag}", "sha": commit})
    else:
        gh("PATCH", f"{git}/refs/tags/{tag}", {"sha": commit, "force": True})


def main() -> None:
    root = Path(__file__).resolve().parents[2]
    try:
        if sys.argv[1:] == ["publish"]:
            publish(os.environ, root)
            return
        found = plan(os.environ, root)
    except (Refused, Missing) as error:
        sys.exit(f"release: {error}")
    with Path(os.environ["GITHUB_OUTPUT"]).open("a", encoding="utf-8") as outputs:
        outputs.writelines(f"{name}={value}\n" for name, value in found.items())


if __name__ == "__main__":
    main()
