"""The merge base, walked over re-hashed commits.

A forged commit graph makes ``git merge-base`` answer head itself, and the diff comes out empty. So git is not asked: two colours
are painted down from both tips in order of commit time, as git does it, reading each commit through the verified store.
"""

import heapq

from kodus_check.git.objects import Commit, MissingObject, ObjectStore
from kodus_check.model import Sha

_BASE, _HEAD, _STALE = 1, 2, 4
_COMMON = _BASE | _HEAD


def merge_base(store: ObjectStore, base: Sha, head: Sha) -> Sha | None:
    """The best common ancestor of two commits, or None when their histories are unrelated.

    Of several best ones, the youngest (then the smallest id): the same answer in every run. Raises ``MissingObject`` when the
    clone ends before the walk does.
    """
    best = _common_ancestors(store, base, head)
    if len(best) > 1:  # with skewed clocks one of them can still be an ancestor of another
        best = [one for one in best if not any(one != other and one in _common_ancestors(store, one, other) for other in best)]
    return min(best, key=lambda oid: (-store.commit(oid).time, oid), default=None)


def _common_ancestors(store: ObjectStore, base: Sha, head: Sha) -> list[Sha]:
    """Common ancestors of both, every best one among them, without those that the walk saw to be ancestors of others."""
    commits: dict[Sha, Commit] = {}
    missing: dict[Sha, MissingObject] = {}
    colours: dict[Sha, int] = {}
    queue: list[tuple[int, int, Sha]] = []
    found: dict[Sha, None] = {}

    def paint(oid: Sha, colour: int) -> None:
        had = colours.get(oid, 0)
        if had | colour == had:
            return
        colours[oid] = had | colour
        if oid not in commits and oid not in missing:
            try:
                commits[oid] = store.commit(oid)
            except MissingObject as error:
                missing[oid] = error
        if oid in missing:
            return
        heapq.heappush(queue, (-commits[oid].time, len(colours), oid))

    paint(base, _BASE)
    paint(head, _HEAD)
    while any(not colours[oid] & _STALE for _, _, oid in queue):
        _, _, oid = heapq.heappop(queue)
        colour = colours[oid]
        if colour & _COMMON == _COMMON and not colour & _STALE:
            found[oid] = None
            colour |= _STALE
        for parent in commits[oid].parents:
            paint(parent, colour)
    for oid, error in missing.items():
        if not colours[oid] & _STALE:  # a stale one is below a common ancestor: nothing better can come from there
            raise error
    return [oid for oid in found if not colours[oid] & _STALE]
