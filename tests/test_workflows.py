"""The project's workflows, the examples for users, and what a release does. No network: the linters bring the schemas."""

import importlib.util
import json
import os
import re
import subprocess
import sys
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
import yaml

ROOT = Path(__file__).parents[1]
OWN = sorted((ROOT / ".github/workflows").glob("*.yml"))
EXAMPLES = sorted((ROOT / "docs/examples").glob("github-*.yml"))
WORKFLOWS = [*OWN, *EXAMPLES]
ZIZMOR_OF_EXAMPLES = ROOT / "docs/examples/zizmor.yml"
PLACEHOLDER = "OWNER/kodus-check@v0"
PROGRAMS = ("actionlint", "zizmor", "check-jsonschema", "hadolint")
SCHEMAS = {"workflow": "vendor.github-workflows", "action": "vendor.github-actions", "dependabot": "vendor.dependabot"}


def program(name: str) -> str:
    """A linter beside the Python that runs the tests; one that is not there is a failure, never a check less."""
    path = Path(sys.executable).parent / name
    assert path.is_file(), f"{name} is not beside {sys.executable}; install requirements-dev.txt"
    return str(path)


def lint(*command: str, cwd: Path = ROOT) -> str:
    """What a linter complains of; empty where it is content."""
    env = {"PATH": os.defpath, "HOME": str(cwd), "NO_COLOR": "1"}
    done = subprocess.run([program(command[0]), *command[1:]], capture_output=True, check=False, text=True, cwd=cwd, env=env)
    return "" if done.returncode == 0 else f"exit {done.returncode}\n{done.stdout}{done.stderr}"


def actionlint(*paths: Path, cwd: Path = ROOT) -> str:
    """Without shellcheck and pyflakes, so that it says the same on every machine."""
    return lint("actionlint", "-no-color", "-shellcheck=", "-pyflakes=", *map(str, paths), cwd=cwd)


def zizmor(*paths: Path, config: Path | None = None, cwd: Path = ROOT) -> str:
    how = ("--config", str(config)) if config else ("--no-config",)
    return lint("zizmor", "--offline", "--no-progress", "--strict-collection", *how, *map(str, paths), cwd=cwd)


def schema(name: str, *paths: Path, cwd: Path = ROOT) -> str:
    return lint("check-jsonschema", "--builtin-schema", SCHEMAS[name], *map(str, paths), cwd=cwd)


def hadolint(path: Path, cwd: Path = ROOT) -> str:
    return lint("hadolint", "--no-color", str(path), cwd=cwd)


# --- what every workflow keeps ---------------------------------------------------------------------------------------------------

USES = re.compile(r"^\s*(?:-\s+)?uses:\s*(?P<name>\S+)(?P<comment>.*)$", re.MULTILINE)
PINNED = re.compile(r"[\w.-]+/[\w./-]+@[0-9a-f]{40}")
VERSION = re.compile(r"\s+# v\d+\.\d+\.\d+")


def unpinned(text: str) -> list[str]:
    """Actions that are not named by a commit with its version behind it. ``$/`` is this repository at the same commit."""
    found = list(USES.finditer(text))
    assert len(found) == len(list(values(yaml.safe_load(text), "uses"))), "an action is written so that this check does not see it"
    return [
        one[0].strip()
        for one in found
        if not one["name"].startswith("$/")
        and one["name"] != PLACEHOLDER
        and not (PINNED.fullmatch(one["name"]) and VERSION.fullmatch(one["comment"]))
    ]


def broad(text: str) -> list[str]:
    """Rights that every job would get: at the top they are said, and none but to read."""
    document = yaml.safe_load(text)
    top = document.get("permissions")
    if not isinstance(top, dict):
        return [f"permissions: {top}"]
    return [f"permissions: {name}: {right}" for name, right in top.items() if right not in ("read", "none")]


def injected(text: str) -> list[str]:
    """Expressions in scripts: a value goes through ``env``, where it is no part of the program."""
    return [found for script in values(yaml.safe_load(text), "run") for found in re.findall(r"\$\{\{.*?\}\}", script, re.DOTALL)]


def careless(text: str) -> list[str]:
    """Jobs without an end, and checkouts that leave the token behind."""
    jobs: Mapping[str, Any] = yaml.safe_load(text)["jobs"]
    endless = [name for name, job in jobs.items() if "uses" not in job and "timeout-minutes" not in job]
    steps = [step for job in jobs.values() for step in job.get("steps", ()) if step.get("uses", "").startswith("actions/checkout@")]
    return endless + ["persist-credentials" for step in steps if step.get("with", {}).get("persist-credentials") is not False]


def values(node: object, key: str) -> Iterator[str]:
    if isinstance(node, dict):
        for name, value in node.items():
            if name == key and isinstance(value, str):
                yield value
            yield from values(value, key)
    elif isinstance(node, list):
        for value in node:
            yield from values(value, key)


def name_of(path: Path) -> str:
    return str(path.relative_to(ROOT))


def test_there_is_something_to_check() -> None:
    assert [path.name for path in OWN] == ["ci.yml", "release.yml"]
    assert [path.name for path in EXAMPLES] == ["github-pull-request.yml", "github-rules-only.yml"]
    assert all(list(values(yaml.safe_load(path.read_text(encoding="utf-8")), "uses")) for path in WORKFLOWS)


@pytest.mark.parametrize("check", [unpinned, broad, injected, careless])
@pytest.mark.parametrize("path", WORKFLOWS, ids=name_of)
def test_a_workflow_keeps_the_rules_of_the_house(path: Path, check: Callable[[str], list[str]]) -> None:
    assert check(path.read_text(encoding="utf-8")) == []


def test_workflows_are_content_with_actionlint() -> None:
    assert actionlint(*WORKFLOWS) == ""


def test_workflows_and_the_action_are_content_with_zizmor() -> None:
    assert zizmor(*OWN, ROOT / "action.yml", ROOT / ".github/dependabot.yml") == ""
    assert zizmor(*EXAMPLES, config=ZIZMOR_OF_EXAMPLES) == ""


def test_files_are_valid_by_their_schemas() -> None:
    assert schema("workflow", *WORKFLOWS) == ""
    assert schema("action", ROOT / "action.yml") == ""
    assert schema("dependabot", ROOT / ".github/dependabot.yml") == ""


def test_the_dockerfile_is_content_with_hadolint() -> None:
    assert hadolint(ROOT / "Dockerfile") == ""


def test_examples_give_inputs_that_the_action_has_and_name_it_as_the_pages_do() -> None:
    known = yaml.safe_load((ROOT / "action.yml").read_text(encoding="utf-8"))
    for path in EXAMPLES:
        jobs = yaml.safe_load(path.read_text(encoding="utf-8"))["jobs"]
        (step,) = [step for job in jobs.values() for step in job["steps"] if step["uses"] == PLACEHOLDER]
        assert set(step["with"]) <= set(known["inputs"]), path.name
        assert not {"base", "head"} & set(step["with"]), "with these a run belongs to no pull request"
        asked = re.findall(r"steps\.check\.outputs\.([\w-]+)", path.read_text(encoding="utf-8"))
        assert set(asked) <= set(known["outputs"]), path.name
    for page in ("docs/github.md", "docs/container.md"):
        assert PLACEHOLDER in (ROOT / page).read_text(encoding="utf-8"), page


def test_the_example_for_forks_holds_no_secret_and_can_write_nothing() -> None:
    text = (ROOT / "docs/examples/github-rules-only.yml").read_text(encoding="utf-8")
    document = yaml.safe_load(text)
    assert "secrets." not in text
    assert document["permissions"] == {}
    assert [job["permissions"] for job in document["jobs"].values()] == [{"contents": "read"}]
    assert set(document[True]) == {"pull_request"}  # YAML reads `on` as true


def test_only_the_last_job_of_a_release_may_write_to_the_repository() -> None:
    jobs = yaml.safe_load((ROOT / ".github/workflows/release.yml").read_text(encoding="utf-8"))["jobs"]
    writers = [name for name, job in jobs.items() if job["permissions"].get("contents") == "write"]
    assert writers == ["publish"]
    assert [step["uses"].partition("@")[0] for step in jobs["publish"]["steps"] if "uses" in step] == ["actions/checkout"]


# --- every check turns red -----------------------------------------------------------------------------------------------------

GOOD = """\
name: good
on: [pull_request]
permissions: {}
concurrency: {group: good, cancel-in-progress: true}
jobs:
  one:
    name: one
    runs-on: ubuntu-24.04
    timeout-minutes: 5
    permissions:
      contents: read # to check out
    steps:
      - name: out
        uses: actions/checkout@3d3c42e5aac5ba805825da76410c181273ba90b1 # v7.0.1
        with:
          persist-credentials: false
      - name: say
        run: echo "$TITLE"
        env:
          TITLE: ${{ github.event.pull_request.title }}
"""
PIN = "actions/checkout@3d3c42e5aac5ba805825da76410c181273ba90b1 # v7.0.1"
RIGHTS = "    permissions:\n      contents: read # to check out\n"
RUN = 'echo "$TITLE"'
TITLE = 'echo "${{ github.event.pull_request.title }}"'


def _workflow(tmp_path: Path, text: str) -> Path:
    path = tmp_path / ".github/workflows/it.yml"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")
    return path


def _of_text(check: Callable[[str], list[str]]) -> Callable[[Path], str]:
    return lambda path: "\n".join(check(path.read_text(encoding="utf-8")))


def _actionlint(path: Path) -> str:
    return actionlint(path, cwd=path.parents[2])


def _zizmor(path: Path) -> str:
    return zizmor(path, cwd=path.parents[2])


def _schema(path: Path) -> str:
    return schema("workflow", path, cwd=path.parents[2])


@pytest.mark.parametrize("check", [_actionlint, _zizmor, _schema, *map(_of_text, (unpinned, broad, injected, careless))])
def test_a_good_workflow_is_green(tmp_path: Path, check: Callable[[Path], str]) -> None:
    assert check(_workflow(tmp_path, GOOD)) == ""


@pytest.mark.parametrize(
    ("check", "old", "new", "said"),
    [
        pytest.param(_actionlint, "ubuntu-24.04", "ubuntu-1.0", "ubuntu-1.0", id="actionlint: a label that no runner has"),
        pytest.param(_actionlint, RUN, TITLE, "potentially untrusted", id="actionlint: a title in a script"),
        pytest.param(_actionlint, "github.event.pull_request.title", "steps.no.outputs.x", "no", id="actionlint: no such step"),
        pytest.param(_zizmor, RUN, TITLE, "template-injection", id="zizmor: a title in a script"),
        pytest.param(_zizmor, PIN, "actions/checkout@v7", "unpinned-uses", id="zizmor: a tag"),
        pytest.param(_zizmor, "persist-credentials: false", "fetch-depth: 1", "artipacked", id="zizmor: a token left behind"),
        pytest.param(_zizmor, "[pull_request]", "[pull_request_target]", "dangerous-triggers", id="zizmor: a dangerous trigger"),
        pytest.param(_zizmor, RIGHTS, "    permissions: write-all\n", "excessive-permissions", id="zizmor: all rights"),
        pytest.param(_schema, "runs-on: ubuntu-24.04", "runs_on: ubuntu-24.04", "runs_on", id="schema: a key that is not there"),
        pytest.param(_of_text(unpinned), PIN, "actions/checkout@v7", "@v7", id="a tag"),
        pytest.param(_of_text(unpinned), PIN, PIN.partition(" #")[0], "@3d3c42e5", id="no version"),
        pytest.param(_of_text(unpinned), PIN, PIN.replace("v7.0.1", "v7"), "# v7", id="a version that moves"),
        pytest.param(_of_text(unpinned), PIN, PIN.replace("90b1", ""), "@3d3c42e5", id="a short commit"),
        pytest.param(_of_text(unpinned), PIN, "docker://alpine:3", "alpine", id="an image by its tag"),
        pytest.param(_of_text(unpinned), PIN, "./it", "./it", id="an action of the workspace"),
        pytest.param(_of_text(broad), "permissions: {}\n", "", "None", id="no word on rights"),
        pytest.param(_of_text(broad), "permissions: {}", "permissions: write-all", "write-all", id="all rights"),
        pytest.param(_of_text(broad), "permissions: {}", "permissions: {contents: write}", "contents", id="to write for all"),
        pytest.param(_of_text(injected), RUN, TITLE, "title", id="a title in a script, by ourselves"),
        pytest.param(_of_text(injected), RUN, 'echo "${{\n          github.ref }}"', "github.ref", id="an expression in two lines"),
        pytest.param(_of_text(careless), "    timeout-minutes: 5\n", "", "one", id="no end"),
        pytest.param(_of_text(careless), "persist-credentials: false", "fetch-depth: 1", "persist", id="a token left behind"),
    ],
)  # fmt: skip
def test_a_broken_workflow_is_red(tmp_path: Path, check: Callable[[Path], str], old: str, new: str, said: str) -> None:
    assert GOOD.count(old) == 1
    assert said in check(_workflow(tmp_path, GOOD.replace(old, new)))


def test_an_action_that_the_pinning_check_cannot_see_is_an_error() -> None:
    with pytest.raises(AssertionError, match="does not see it"):
        unpinned(GOOD.replace("- name: out\n        uses: ", "- {uses: it/it@v1}\n      - name: out\n        uses: "))


def test_the_config_for_the_examples_lets_nothing_but_the_placeholder_through(tmp_path: Path) -> None:
    own = _workflow(tmp_path, GOOD.replace(PIN, "OWNER/kodus-check@v0"))
    assert "unpinned-uses" in zizmor(own, cwd=tmp_path)
    assert zizmor(own, config=ZIZMOR_OF_EXAMPLES, cwd=tmp_path) == ""
    other = _workflow(tmp_path, GOOD.replace(PIN, "OWNER/another@v0"))
    assert "unpinned-uses" in zizmor(other, config=ZIZMOR_OF_EXAMPLES, cwd=tmp_path)


@pytest.mark.parametrize(
    ("name", "source", "old", "new"),
    [
        ("action", "action.yml", "using: docker", "using: dockr"),
        ("action", "action.yml", "image: Dockerfile", "picture: Dockerfile"),
        ("dependabot", ".github/dependabot.yml", "default-days: 7", "default-days: soon"),
        ("dependabot", ".github/dependabot.yml", "package-ecosystem: pip", "package-ecosystem: pipp"),
    ],
)
def test_a_broken_file_is_not_valid_by_its_schema(tmp_path: Path, name: str, source: str, old: str, new: str) -> None:
    text = (ROOT / source).read_text(encoding="utf-8")
    assert old in text
    path = tmp_path / Path(source).name
    path.write_text(text.replace(old, new, 1), encoding="utf-8")
    assert "Schema validation errors" in schema(name, path, cwd=tmp_path)


def test_a_careless_dockerfile_is_red(tmp_path: Path) -> None:
    path = tmp_path / "Dockerfile"
    path.write_text((ROOT / "Dockerfile").read_text(encoding="utf-8").replace("# hadolint ignore=DL3008\n", ""), encoding="utf-8")
    assert "DL3008" in hadolint(path, cwd=tmp_path)


def test_a_linter_that_is_not_installed_is_a_failure(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(sys, "executable", str(tmp_path / "python"))
    for name in PROGRAMS:
        with pytest.raises(AssertionError, match=f"{name} is not beside"):
            program(name)


# --- the release -----------------------------------------------------------------------------------------------------------------

COMMIT = "c" * 40
SLIM, TOOLS = f"sha256:{'1' * 64}", f"sha256:{'2' * 64}"
TOLD = {"GITHUB_REPOSITORY": "Owner/kodus-check", "GITHUB_SHA": COMMIT, "SLIM": SLIM, "TOOLS": TOOLS}
GIT = "repos/Owner/kodus-check/git"


def _release() -> ModuleType:
    spec = importlib.util.spec_from_file_location("release", ROOT / ".github/scripts/release.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


release = _release()


class Platform:
    """What of GitHub a release touches: trees, commits, refs, releases. Takes the place of ``gh`` in the script."""

    def __init__(self) -> None:
        self.trees: dict[str, list[dict[str, str]]] = {}
        self.commits: dict[str, dict[str, Any]] = {}
        self.refs: dict[str, str] = {}
        self.pages: dict[str, dict[str, str]] = {}
        self.status = "behind"
        self.fails_at = ""

    def __call__(self, method: str, path: str, body: Mapping[str, Any] | None = None) -> Any:
        if self.fails_at and f"{method} {path}".startswith(self.fails_at):
            raise release.Refused("HTTP 502")
        asked = dict(body or {})
        match method, path.removeprefix("repos/Owner/kodus-check/").split("/"):
            case "GET", ["compare", what]:
                assert what == f"main...{COMMIT}"
                return {"status": self.status}
            case "POST", ["git", "trees"]:
                sha = f"tree-{hash(json.dumps(asked))}"
                self.trees[sha] = asked["tree"]
                return {"sha": sha}
            case "POST", ["git", "commits"]:
                sha = f"commit-{len(self.commits)}"
                self.commits[sha] = asked
                return {"sha": sha}
            case "GET", ["git", "commits", sha]:
                return {"tree": {"sha": self.commits[sha]["tree"]}}
            case "GET", ["git", "ref", "tags", tag]:
                return {"object": {"sha": self.get(self.refs, f"refs/tags/{tag}")}}
            case "GET", ["git", "matching-refs", "tags", start]:
                return [{"ref": name} for name in self.refs if name.startswith(f"refs/tags/{start}")]
            case "POST", ["git", "refs"]:
                assert asked["ref"] not in self.refs
                self.refs[asked["ref"]] = asked["sha"]
                return {}
            case "PATCH", ["git", "refs", "tags", tag]:
                assert asked["force"] is True
                assert f"refs/tags/{tag}" in self.refs
                self.refs[f"refs/tags/{tag}"] = asked["sha"]
                return {}
            case "GET", ["releases", "tags", tag]:
                return self.get(self.pages, tag)
            case "POST", ["releases"]:
                self.pages[asked["tag_name"]] = asked
                return {}
        raise AssertionError((method, path))

    @staticmethod
    def get(table: Mapping[str, Any], key: str) -> Any:
        if key not in table:
            raise release.Missing(key)
        return table[key]

    def action(self, tag: str) -> str:
        """``action.yml`` at a tag."""
        (entry,) = [one for one in self.trees[self.commits[self.refs[f"refs/tags/{tag}"]]["tree"]] if one["path"] == "action.yml"]
        return entry["content"]


@pytest.fixture
def platform(monkeypatch: pytest.MonkeyPatch) -> Platform:
    made = Platform()
    monkeypatch.setattr(release, "gh", made)
    return made


def _publish(version: str, **more: str) -> None:
    release.publish({**TOLD, "GITHUB_REF_NAME": f"v{version}-source", **more}, ROOT)


def _version() -> str:
    from kodus_check import __version__

    return __version__


def test_a_release_is_planned_from_its_tag(platform: Platform) -> None:
    told = {**TOLD, "GITHUB_REF_NAME": f"v{_version()}-source"}
    assert release.plan(told, ROOT) == {"version": _version(), "image": "ghcr.io/owner/kodus-check"}


@pytest.mark.parametrize(
    ("told", "said"),
    [
        ({"GITHUB_REF_NAME": "v0.1.0"}, "GITHUB_REF_NAME"),
        ({"GITHUB_REF_NAME": "v0.1.0-source\n"}, "GITHUB_REF_NAME"),
        ({"GITHUB_REF_NAME": "v0.1.0-source;id"}, "GITHUB_REF_NAME"),
        ({"GITHUB_REF_NAME": "v00.1.0-source"}, "GITHUB_REF_NAME"),
        ({"GITHUB_REF_NAME": "v0.٣.0-source"}, "GITHUB_REF_NAME"),
        ({"GITHUB_REF_NAME": "v9.9.9-source"}, "the tag says 9.9.9"),
        ({"GITHUB_REPOSITORY": "Owner/../x"}, "GITHUB_REPOSITORY"),
        ({"GITHUB_SHA": "main"}, "GITHUB_SHA"),
    ],
)
def test_a_release_that_is_not_as_it_says_is_refused(platform: Platform, told: dict[str, str], said: str) -> None:
    with pytest.raises(release.Refused, match=said):
        release.plan({**TOLD, "GITHUB_REF_NAME": f"v{_version()}-source", **told}, ROOT)


@pytest.mark.parametrize("status", ["ahead", "diverged"])
def test_a_commit_that_is_not_on_main_is_not_released(platform: Platform, status: str) -> None:
    platform.status = status
    with pytest.raises(release.Refused, match="not on main"):
        release.plan({**TOLD, "GITHUB_REF_NAME": f"v{_version()}-source"}, ROOT)


def test_a_release_names_its_image_by_the_digest(platform: Platform, tmp_path: Path) -> None:
    _publish("0.1.0")
    commit = platform.refs["refs/tags/v0.1.0"]
    assert platform.refs == {"refs/tags/v0.1.0": commit, "refs/tags/v0": commit}
    assert platform.commits[commit]["parents"] == []
    assert sorted(one["path"] for one in platform.trees[platform.commits[commit]["tree"]]) == ["LICENSE", "README.md", "action.yml"]

    action = platform.action("v0")
    runs = yaml.safe_load(action)["runs"]
    assert runs == {"using": "docker", "image": f"docker://ghcr.io/owner/kodus-check@{SLIM}"}
    there = {**yaml.safe_load((ROOT / "action.yml").read_text(encoding="utf-8")), "runs": runs}
    assert yaml.safe_load(action) == there
    (tmp_path / "action.yml").write_text(action, encoding="utf-8")
    assert schema("action", tmp_path / "action.yml", cwd=tmp_path) == ""

    page = platform.pages["v0.1.0"]
    assert page["target_commitish"] == commit
    assert all(word in page["body"] for word in (COMMIT, commit, SLIM, TOOLS))


@pytest.mark.parametrize("name", ["SLIM", "TOOLS"])
@pytest.mark.parametrize("digest", ["", "latest", f"{SLIM}\n", "sha256:12", f"{SLIM} # x"])
def test_what_is_no_digest_is_not_released(platform: Platform, name: str, digest: str) -> None:
    with pytest.raises(release.Refused, match=name):
        _publish("0.1.0", **{name: digest})
    assert platform.refs == {}
    assert platform.trees == {}


@pytest.mark.parametrize(
    "step", ["POST", "GET", f"POST {GIT}/refs", "POST repos/Owner/kodus-check/releases", f"GET {GIT}/matching"]
)
def test_a_release_that_stopped_half_way_goes_on(platform: Platform, step: str) -> None:
    platform.fails_at = step
    with pytest.raises(release.Refused, match="502"):
        _publish("0.1.0")
    platform.fails_at = ""
    _publish("0.1.0")
    commit = platform.refs["refs/tags/v0.1.0"]
    assert platform.refs == {"refs/tags/v0.1.0": commit, "refs/tags/v0": commit}
    assert list(platform.pages) == ["v0.1.0"]


def test_a_version_is_never_changed(platform: Platform) -> None:
    _publish("0.1.0")
    before = dict(platform.refs)
    with pytest.raises(release.Refused, match="never changed"):
        _publish("0.1.0", SLIM=TOOLS)
    assert platform.refs == before


def test_the_major_tag_goes_forward_only(platform: Platform) -> None:
    for version in ("0.9.0", "0.10.0", "0.9.1", "1.0.0"):
        _publish(version, SLIM=f"sha256:{version.replace('.', '').rjust(64, '0')}")
    assert platform.refs["refs/tags/v0"] == platform.refs["refs/tags/v0.10.0"]
    assert platform.refs["refs/tags/v1"] == platform.refs["refs/tags/v1.0.0"]
    _publish("0.10.1")
    assert platform.refs["refs/tags/v0"] == platform.refs["refs/tags/v0.10.1"]


@pytest.mark.parametrize("text", ["runs:\n  image: docker://x\n", "  image: Dockerfile\n  image: Dockerfile\n"])
def test_an_action_without_its_one_image_is_not_released(text: str) -> None:
    with pytest.raises(release.Refused, match="should have one"):
        release.with_image(text, "ghcr.io/owner/it@sha256:1")


FAKE_GH = """\
import json, pathlib, sys
assert sys.argv[1:4] == ["api", "--method", "GET"], sys.argv
if "missing" in sys.argv[4]:
    sys.exit("gh: Not Found (HTTP 404)")
if "broken" in sys.argv[4]:
    sys.exit("gh: Bad Gateway (HTTP 502)")
print(json.dumps({"status": "behind"}))
"""


@pytest.fixture
def fake_gh(tmp_path: Path) -> Path:
    """A folder with a program ``gh``."""
    folder = tmp_path / "bin"
    folder.mkdir()
    (folder / "gh").write_text(f"#!{sys.executable}\n{FAKE_GH}", encoding="utf-8")
    (folder / "gh").chmod(0o755)
    return folder


def test_answers_of_the_platform_are_told_apart(fake_gh: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(fake_gh))
    assert release.gh("GET", "repos/it") == {"status": "behind"}
    with pytest.raises(release.Missing):
        release.gh("GET", "missing")
    with pytest.raises(release.Refused, match="GET broken: gh: Bad Gateway"):
        release.gh("GET", "broken")


@pytest.mark.parametrize(("tag", "code"), [(f"v{_version()}-source", 0), ("v0", 1)])
def test_the_script_writes_the_plan_as_outputs(fake_gh: Path, tmp_path: Path, tag: str, code: int) -> None:
    outputs = tmp_path / "outputs"
    env = {**TOLD, "PATH": str(fake_gh), "GITHUB_REF_NAME": tag, "GITHUB_OUTPUT": str(outputs)}
    command = [sys.executable, str(ROOT / ".github/scripts/release.py"), "plan"]
    done = subprocess.run(command, env=env, capture_output=True, check=False, text=True)
    assert done.returncode == code, done.stderr
    written = outputs.read_text(encoding="utf-8") if outputs.exists() else ""
    assert written == (f"version={_version()}\nimage=ghcr.io/owner/kodus-check\n" if code == 0 else "")
    assert ("release: GITHUB_REF_NAME" in done.stderr) is (code == 1)
