import os
from pathlib import Path

import pytest

from tests.image.containers import Containers
from tests.image.runner_sim import Runner
from tests.repo import Repo


def _named(variable: str) -> Containers:
    image = os.environ.get(variable)
    if not image:
        pytest.fail(f"{variable} names no image: run `.ci/image`, which builds the images and runs these tests", pytrace=False)
    return Containers(image)


@pytest.fixture
def slim() -> Containers:
    return _named("KODUS_CHECK_IMAGE")


@pytest.fixture
def tools() -> Containers:
    return _named("KODUS_CHECK_IMAGE_TOOLS")


RULE = """\
id: no-float-money
language: typescript
severity: error
message: Parse $A with `Money.parse`, never `parseFloat`
rule: {pattern: parseFloat($A)}
"""


@pytest.fixture
def checkout(tmp_path: Path) -> Repo:
    """A clone as a workflow has it: `main` holds a rule and gates by it, the branch `feature`, which is checked out, breaks it."""
    repo = Repo.init(tmp_path / "workspace")
    repo.commit(
        {
            "sgconfig.yml": "ruleDirs: [rules]\n",
            "rules/money.yml": RULE,
            ".kodus-check.yml": "version: 1\nfail_on: high\n",
            "src/a.ts": "export const a = 1;\n",
        }
    )
    repo.branch("feature")
    repo.commit({"src/a.ts": "export const a = 1;\nexport const b = parseFloat('2');\n"})
    return repo


@pytest.fixture
def runner(slim: Containers, checkout: Repo, tmp_path: Path) -> Runner:
    return Runner(slim, checkout, tmp_path)
