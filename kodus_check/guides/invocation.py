"""Who may load a skill. The most restrictive declaration wins, and a declaration that cannot be read closes both ways.

T1  ``"true"``, ``yes``, ``1``: booleans to one reader and text to another            -> only plain true and false are read
T2  a sidecar that another reader takes for absent (a link, a folder, too large)      -> present in any form but readable: closed
T3  a control in a second document, behind an alias, or twice                         -> refused: closed
T4  a control misspelt by case or underscore                                          -> closed, with the right spelling
"""

import re
from collections.abc import Iterator, Mapping

import yaml

from kodus_check.guides.frontmatter import CONTROLS, Broken, compose, decoded
from kodus_check.model import Invocation

SIDECAR = "agents/openai.yaml"
MAX_SIDECAR = 64 * 1024
"""A sidecar must be smaller than this."""

_DISABLE, _USER = CONTROLS
_IMPLICIT = "allow_implicit_invocation"
_TRUE, _FALSE = ("true", "True", "TRUE"), ("false", "False", "FALSE")


class _Unclear(ValueError):
    """A declaration that cannot be read."""


def invocation(frontmatter: Mapping[str, yaml.Node], sidecar: bytes | None, sidecar_problem: str = "") -> Invocation:
    """What the frontmatter and the sidecar declare. ``sidecar`` is None where there is none.

    ``sidecar_problem`` says why a sidecar that is there has no bytes (a link, a folder, too large).
    """
    problems = list(_misspelt(frontmatter))
    disable = _boolean(frontmatter, _DISABLE, problems)
    user = _boolean(frontmatter, _USER, problems)
    implicit: bool | None = None
    try:
        if sidecar_problem:
            raise _Unclear(sidecar_problem)  # noqa: TRY301 - one way for all that is unclear in a sidecar
        if sidecar is not None:
            implicit = _implicit(sidecar)
    except _Unclear as unclear:
        problems.append(f"`{SIDECAR}`: {unclear}")
    if problems:
        return Invocation(model=False, user=False, diagnostics=tuple(f"{problem}; so nobody may load it" for problem in problems))
    return Invocation(model=disable is not True and implicit is not False, user=user is not False)


def _misspelt(frontmatter: Mapping[str, yaml.Node]) -> Iterator[str]:
    for key in frontmatter:
        meant = key.strip().lower().replace("_", "-")
        if meant in CONTROLS and key not in CONTROLS:
            yield f"`{key}` must be written `{meant}`"


def _boolean(values: Mapping[str, yaml.Node], key: str, problems: list[str]) -> bool | None:
    if key not in values:
        return None
    node = values[key]
    if isinstance(node, yaml.ScalarNode) and not node.style and node.value in (*_TRUE, *_FALSE):
        return node.value in _TRUE
    problems.append(f"`{key}` must be true or false, as YAML writes them, without quotes")
    return None


def _implicit(data: bytes) -> bool | None:
    if len(data) >= MAX_SIDECAR:
        raise _Unclear(f"it must be smaller than {MAX_SIDECAR // 1024} KiB")
    try:
        text = decoded(data)
        if re.search(r"^(?:---|\.\.\.|%)", text, re.MULTILINE):
            raise _Unclear("document markers and directives are not read")
        root = compose(text)
    except Broken as broken:
        raise _Unclear(f"line {broken.line}: {broken.reason}") from None
    if root is None or (isinstance(root, yaml.ScalarNode) and not root.value and not root.style):
        return None
    policy = _mapping(root, "it", ("policy",)).get("policy")
    if policy is None:
        return None
    problems: list[str] = []
    found = _boolean(_mapping(policy, "`policy`", (_IMPLICIT,)), _IMPLICIT, problems)
    if problems:
        raise _Unclear(problems[0])
    return found


def _mapping(node: yaml.Node, name: str, once: tuple[str, ...]) -> dict[str, yaml.Node]:
    if not isinstance(node, yaml.MappingNode):
        raise _Unclear(f"{name} must be a mapping of keys")
    out: dict[str, yaml.Node] = {}
    for key, value in node.value:
        text = key.value if isinstance(key, yaml.ScalarNode) else ""
        if text in out and text in once:
            raise _Unclear(f"`{text}` stands twice")
        if text not in once and text.strip().lower().replace("-", "_") in once:
            raise _Unclear(f"`{text}` must be written `{text.strip().lower().replace('-', '_')}`")
        out[text] = value
    return out
