from tests.repo import Repo


def test_smoke(repo: Repo) -> None:
    base = repo.commit({"a.txt": "1\n2\n"})
    head = repo.commit({"a.txt": "1\n3\n"})
    assert list(repo.changed(base, head)["a.txt"].added) == [2]
