# ruff: noqa: E501 - tables read better with a case on a line
"""Who may load a skill: the most restrictive declaration wins, and what cannot be read closes both ways."""

import pytest
import yaml
from hypothesis import given, settings
from hypothesis import strategies as st

from kodus_check.guides.frontmatter import read_frontmatter
from kodus_check.guides.invocation import invocation
from kodus_check.model import Invocation


def invoked(text: str, sidecar: bytes | None = None, problem: str = "") -> Invocation:
    return invocation(read_frontmatter(f"---\nname: a\n{text}\n---\n".encode()).entries, sidecar, problem)


@pytest.mark.parametrize(
    ("text", "sidecar", "model", "user"),
    [
        ("", None, True, True),
        ("disable-model-invocation: true", None, False, True),
        ("disable-model-invocation: false", None, True, True),
        ("user-invocable: false", None, True, False),
        ("user-invocable: TRUE", None, True, True),
        ("disable-model-invocation: True\nuser-invocable: False", None, False, False),
        ("", b"policy:\n  allow_implicit_invocation: false\n", False, True),
        ("", b"policy:\n  allow_implicit_invocation: true\n", True, True),
        ("disable-model-invocation: true", b"policy: {allow_implicit_invocation: true}", False, True),
        ("disable-model-invocation: false", b"policy: {allow_implicit_invocation: false}", False, True),
        ("", b"", True, True),
        ("", b"# only a comment\n", True, True),
        ("", b"interface: {display_name: x}\n", True, True),
        ("", b"policy: {}\n", True, True),
        ("", b"\n \n", True, True),
        ("", b"interface:\n  policy: {allow_implicit_invocation: false}\n", True, True),
        ("", b"policy: {other: 1, allow_implicit_invocation: FALSE}", False, True),
        ("", b"a: x --- y\nb: '...'\n", True, True),
        ("", b"interface: {a: 1}\ninterface: {a: 2}\n", True, True),
        ("metadata: {user-invocable: false}", None, True, True),
        ("'user-invocable': false", None, True, False),
        ("", b"\xef\xbb\xbfpolicy: {allow_implicit_invocation: false}\r\n", False, True),
    ],
)
def test_what_is_declared(text: str, sidecar: bytes | None, model: bool, user: bool) -> None:
    assert invoked(text, sidecar) == Invocation(model, user)


def bad(key: str) -> str:
    return f"`{key}` must be true or false, as YAML writes them, without quotes"


DISABLE, USER, IMPLICIT = "disable-model-invocation", "user-invocable", "allow_implicit_invocation"
FILE = "`agents/openai.yaml`: "


@pytest.mark.parametrize(
    ("text", "sidecar", "said"),
    [
        # T1
        *((f"{DISABLE}: {value}", None, bad(DISABLE)) for value in ("'true'", '"false"', "yes", "no", "on", "1", "0", "y", "tRUE", "null", "~", "", "[]", "{}", "|\n  true")),
        *((f"{USER}: {value}", None, bad(USER)) for value in ("'false'", "off", "0", "", "[false]", "truely", "true false")),
        *((f"{USER}: true", f"policy: {{{IMPLICIT}: {value}}}".encode(), FILE + bad(IMPLICIT)) for value in ("'false'", "no", "0", "", "[]")),
        # T3
        ("", b"---\npolicy: {allow_implicit_invocation: false}\n", f"{FILE}document markers and directives are not read"),
        ("", b"---\n", f"{FILE}document markers and directives are not read"),
        ("", b"a: 1\n---\nb: 2\n", f"{FILE}document markers and directives are not read"),
        ("", b"a: 1\n...\nb: 2\n", f"{FILE}document markers and directives are not read"),
        ("", b"%YAML 1.2\n", f"{FILE}document markers and directives are not read"),
        ("", b"a: 1\r--- \r", f"{FILE}line 1: not YAML: but found another document"),
        ("", b"a: 1\nx: &a false\npolicy: {allow_implicit_invocation: *a}", f"{FILE}line 2: YAML anchors and aliases are not read here; write the value out"),
        ("", b"policy: {allow_implicit_invocation: !!bool 'false'}", f"{FILE}line 1: YAML tags are not read here"),
        ("", b"policy:\n  <<: {allow_implicit_invocation: true}", f"{FILE}line 2: YAML merge keys are not read here"),
        ("", b"policy: {}\npolicy: {allow_implicit_invocation: false}", f"{FILE}`policy` stands twice"),
        ("", b"policy: {allow_implicit_invocation: true, allow_implicit_invocation: false}", f"{FILE}`{IMPLICIT}` stands twice"),
        ("", b"- a\n", f"{FILE}it must be a mapping of keys"),
        ("", b"text", f"{FILE}it must be a mapping of keys"),
        ("", b"2026-01-01", f"{FILE}it must be a mapping of keys"),
        ("", b"null", f"{FILE}it must be a mapping of keys"),
        ("", b"policy: [a]", f"{FILE}`policy` must be a mapping of keys"),
        ("", b"policy: false", f"{FILE}`policy` must be a mapping of keys"),
        ("", b"policy:\n", f"{FILE}`policy` must be a mapping of keys"),
        ("", b"x: 1\npolicy: {a: [", f"{FILE}line 2: not YAML: did not find expected node content"),
        ("", b"policy: {a: b: c}", f"{FILE}line 1: not YAML: did not find expected ',' or '}}'"),
        ("", b"x: 1\n\xff", f"{FILE}line 2: not UTF-8 (byte 5)"),
        ("", b"\xff\xfea\x00", f"{FILE}line 1: not UTF-8: the byte order mark is that of UTF-16; save it as UTF-8"),
        ("", b"x: \x00", f"{FILE}line 1: not YAML: it holds a control character"),
        ("", b"x: " + b"[" * 3_000, f"{FILE}line 1: nested too deeply"),
        ("", b"#" * 65_536, f"{FILE}it must be smaller than 64 KiB"),
        # T4
        ("disable_model_invocation: true", None, f"`disable_model_invocation` must be written `{DISABLE}`"),
        ("Disable-Model-Invocation: true", None, f"`Disable-Model-Invocation` must be written `{DISABLE}`"),
        ("'user-invocable ': true", None, f"`user-invocable ` must be written `{USER}`"),
        ("", b"Policy: {allow_implicit_invocation: false}", f"{FILE}`Policy` must be written `policy`"),
        ("", b"policy: {allow-implicit-invocation: false}", f"{FILE}`allow-implicit-invocation` must be written `{IMPLICIT}`"),
        ("", b"policy: {Allow_Implicit_Invocation: false}", f"{FILE}`Allow_Implicit_Invocation` must be written `{IMPLICIT}`"),
    ],
)  # fmt: skip
def test_what_is_unclear_closes_both_ways(text: str, sidecar: bytes | None, said: str) -> None:
    assert invoked(text, sidecar) == Invocation(False, False, (f"{said}; so nobody may load it",))


def test_every_problem_is_said() -> None:
    found = invoked(f"USER_INVOCABLE: true\n{DISABLE}: 1", b"policy: 1")
    assert (found.model, found.user) == (False, False)
    assert [one.split("`")[1] for one in found.diagnostics] == ["USER_INVOCABLE", DISABLE, "agents/openai.yaml"]


@pytest.mark.parametrize("disable", [None, "true", "false"])
@pytest.mark.parametrize("user", [None, "true", "false"])
@pytest.mark.parametrize("implicit", [None, "true", "false"])
def test_the_most_restrictive_declaration_wins(disable: str | None, user: str | None, implicit: str | None) -> None:
    lines = [f"{key}: {value}" for key, value in ((DISABLE, disable), (USER, user)) if value]
    sidecar = f"policy: {{{IMPLICIT}: {implicit}}}".encode() if implicit else None
    assert invoked("\n".join(lines), sidecar) == Invocation(disable != "true" and implicit != "false", user != "false")


def test_a_sidecar_that_is_there_in_another_form_closes_both_ways() -> None:
    """T2."""
    found = invoked("", None, "it is a symlink")
    assert found == Invocation(False, False, ("`agents/openai.yaml`: it is a symlink; so nobody may load it",))


def test_a_sidecar_just_below_the_limit_is_read() -> None:
    assert invoked("", b"#" * 65_535) == Invocation()


@settings(max_examples=400, deadline=None)
@given(
    st.one_of(
        st.binary(max_size=60),
        st.text(alphabet="policy:{} \n\r\t-[]false&*!'\u2028", max_size=60).map(str.encode),
        st.lists(
            st.sampled_from(["policy:", " allow_implicit_invocation: false", " x: 1", "policy: {}", "# c", "---", "- a", "\r"]),
            max_size=6,
        ).map(lambda lines: "\n".join(lines).encode()),
    ),
    st.sampled_from(["", f"{DISABLE}: true", f"{USER}: false"]),
)
def test_no_sidecar_raises_and_none_opens_what_is_closed(sidecar: bytes, text: str) -> None:
    without = invoked(text)
    found = invoked(text, sidecar)
    assert found.model <= without.model
    assert found.user <= without.user
    assert found.user is without.user or found.diagnostics
    assert not found.diagnostics or (found.model, found.user) == (False, False)
    # whoever reads the word as YAML does is not let in by us
    if b" allow_implicit_invocation: false" in sidecar.split(b"\n") and not found.diagnostics:
        assert not found.model or not _in_policy(sidecar)


def _in_policy(sidecar: bytes) -> bool:
    read = yaml.safe_load(sidecar)
    policy = read.get("policy") if isinstance(read, dict) else None
    return isinstance(policy, dict) and policy.get(IMPLICIT) is False
