"""Who may load a skill: the most restrictive declaration wins, and what cannot be read closes both ways."""

import pytest
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
        ("", b"\xef\xbb\xbfpolicy: {allow_implicit_invocation: false}\r\n", False, True),
    ],
)
def test_what_is_declared(text: str, sidecar: bytes | None, model: bool, user: bool) -> None:
    assert invoked(text, sidecar) == Invocation(model, user)


@pytest.mark.parametrize(
    ("text", "sidecar", "said"),
    [
        # T1
        ("disable-model-invocation: 'true'", None, "must be true or false"),
        ("disable-model-invocation: yes", None, "must be true or false"),
        ("user-invocable: 1", None, "must be true or false"),
        ("user-invocable:", None, "must be true or false"),
        ("user-invocable: null", None, "must be true or false"),
        ("user-invocable: [false]", None, "must be true or false"),
        ("", b"policy: {allow_implicit_invocation: 'false'}", "must be true or false"),
        # T3
        ("", b"---\npolicy: {allow_implicit_invocation: false}\n", "document markers"),
        ("", b"a: 1\n...\nb: 2\n", "document markers"),
        ("", b"%YAML 1.2\n", "document markers"),
        ("", b"x: &a false\npolicy: {allow_implicit_invocation: *a}", "aliases"),
        ("", b"policy: {allow_implicit_invocation: !!bool 'false'}", "tags"),
        ("", b"policy: {}\npolicy: {allow_implicit_invocation: false}", "stands twice"),
        ("", b"policy: {allow_implicit_invocation: true, allow_implicit_invocation: false}", "stands twice"),
        ("", b"- a\n", "must be a mapping"),
        ("", b"text", "must be a mapping"),
        ("", b"policy: [a]", "must be a mapping"),
        ("", b"policy:\n", "must be a mapping"),
        ("", b"policy: {a: [", "not YAML"),
        ("", b"\xff", "not UTF-8"),
        ("", b"#" * 65_536, "smaller than 64 KiB"),
        # T4
        ("disable_model_invocation: true", None, "must be written `disable-model-invocation`"),
        ("Disable-Model-Invocation: true", None, "must be written `disable-model-invocation`"),
        ("", b"Policy: {allow_implicit_invocation: false}", "must be written `policy`"),
        ("", b"policy: {allow-implicit-invocation: false}", "must be written `allow_implicit_invocation`"),
    ],
)
def test_what_is_unclear_closes_both_ways(text: str, sidecar: bytes | None, said: str) -> None:
    found = invoked(text, sidecar)
    assert (found.model, found.user) == (False, False)
    assert said in found.diagnostics[0]


def test_a_sidecar_that_is_there_in_another_form_closes_both_ways() -> None:
    """T2."""
    found = invoked("", None, "it is a symlink")
    assert found == Invocation(False, False, ("`agents/openai.yaml`: it is a symlink; so nobody may load it",))


def test_a_sidecar_just_below_the_limit_is_read() -> None:
    assert invoked("", b"#" * 65_535) == Invocation()


@settings(max_examples=300, deadline=None)
@given(st.one_of(st.binary(max_size=60), st.text(alphabet="policy:{} \n-[]false&*!'", max_size=60).map(str.encode)))
def test_no_sidecar_raises(sidecar: bytes) -> None:
    found = invoked("", sidecar)
    assert found.user or found.diagnostics
