"""LI-2: the rule packs that ship."""

import pytest

from kodus_check.model import Mode, RuleStatus
from kodus_check.rules import packs
from kodus_check.rules.ruleset import load_rules

NAMES = packs.names()


def test_there_are_packs() -> None:
    assert "essentials" in NAMES
    assert list(NAMES) == sorted(NAMES)


@pytest.mark.parametrize("name", NAMES)
def test_every_rule_of_a_pack_loads(name: str) -> None:
    """Also without a notice: no unknown key, no inert glob, no id that is taken."""
    found = packs.sources(name)
    assert [source.name for source in found] == sorted(source.name for source in found)
    assert all(source.name.startswith(f"builtin:{name}/") and source.name.endswith(".yml") for source in found)
    with load_rules(found) as rules:
        assert rules.notices == []
        assert [one.reason for one in rules.rules if one.status is not RuleStatus.LOADED] == []
        for source in found:
            assert [one for one in rules.rules if one.source == source.name], f"{source.name} has no rule"
        # What a team sees of a rule of ours is its message; only their own config decides whether it gates.
        assert [one.id for one in rules.rules if "message:" not in one.text or one.mode is Mode.GATE] == []


def test_ids_are_taken_once_over_all_packs() -> None:
    with load_rules(source for name in NAMES for source in packs.sources(name)) as rules:
        assert rules.notices == []
        assert len({one.id for one in rules.rules}) == len(rules.rules) >= 1


@pytest.mark.parametrize("name", ["", "nope", "Essentials", "builtin:essentials", "..", "../rules/essentials", "essentials/", "."])
def test_no_such_pack(name: str) -> None:
    with pytest.raises(KeyError):
        packs.sources(name)
