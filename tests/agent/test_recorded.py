"""One full review from recorded exchanges: the same findings, with no server anywhere."""

from pathlib import Path

import vcr

from kodus_check.agent.models import Ask
from kodus_check.app import Place, check
from kodus_check.progress import Progress
from tests.agent.scripted import GOOD
from tests.repo import Repo
from tests.test_asking import BASE, CHANGE

CASSETTE = Path(__file__).parents[1] / "corpus" / "cassettes" / "review.yaml"


def test_a_review_is_the_same_from_its_recording(repo: Repo) -> None:
    repo.commit(BASE)
    repo.branch("feature")
    repo.commit(CHANGE)
    environ = {"OPENAI_API_KEY": "key-of-nobody", "OPENAI_BASE_URL": "http://127.0.0.1:9/v1"}
    recording = vcr.use_cassette(str(CASSETTE), record_mode="none", match_on=["method", "path"], allow_playback_repeats=False)
    with recording as cassette, Progress() as progress:
        done = check(Place(repo.path, "main", "feature"), progress, ask=Ask(environ)).review
    assert cassette.play_count == len(cassette) == 4
    assert [(one.title, one.evidence.name, one.start_line) for one in done.findings] == [(GOOD["title"], "docs/ledger.md", 2)]
    assert [(run.name, run.requests, run.tokens) for run in done.agents] == [("main_review", 3, 1_260), ("verifier_model", 1, 420)]
    assert done.not_judged == ()


def test_the_recording_holds_no_key() -> None:
    text = CASSETTE.read_text(encoding="utf-8").lower()
    assert "key-of-nobody" not in text
    assert "authorization" not in text
