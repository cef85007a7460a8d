"""Forgeries that a tampered workspace may hold: the ids stay as they are, what stands behind them does not.

Objects are written byte by byte here, because git itself refuses to write most of these.
"""

import hashlib
import struct
import zlib
from pathlib import Path

from tests.repo import Repo


def add_object(repo: Repo, kind: str, data: bytes) -> str:
    """Writes a well-named object that git's own writers would refuse (odd trees and commits), and returns its id."""
    raw = b"%s %d\0%s" % (kind.encode(), len(data), data)
    oid = hashlib.sha1(raw).hexdigest()
    file = repo.loose_object(oid)
    file.parent.mkdir(exist_ok=True)
    if not file.exists():
        file.write_bytes(zlib.compress(raw))
    return oid


def add_tree(repo: Repo, *entries: tuple[bytes, bytes, str]) -> str:
    """A tree of ``(mode, name, id)`` exactly as given and in that order."""
    return add_object(repo, "tree", b"".join(b"%s %s\0%s" % (mode, name, bytes.fromhex(oid)) for mode, name, oid in entries))


def add_commit(repo: Repo, tree: str, *parents: str, time: str = "1767225600", extra: str = "") -> str:
    """A commit of ``tree``; ``time`` and ``extra`` (header lines behind the committer) may be nonsense."""
    who = "A <a@example.org>"
    lines = [f"tree {tree}", *(f"parent {parent}" for parent in parents), f"author {who} 1 +0000", f"committer {who} {time} +0000"]
    return add_object(repo, "commit", ("\n".join(lines) + f"\n{extra}\nm\n").encode())


def poison(repo: Repo, oid: str, data: bytes, kind: str = "blob") -> None:
    """Puts other bytes under the name of a loose object."""
    file = repo.loose_object(oid)
    file.unlink()
    file.write_bytes(zlib.compress(b"%s %d\0%s" % (kind.encode(), len(data), data)))


def pack_under_another_name(repo: Repo, victim: str, evil: bytes) -> None:
    """A pack of one blob, whose index says that it is ``victim``; the right object is gone."""
    oid = repo.git("hash-object", "-w", "--stdin", data=evil).decode().strip()
    name = repo.git("pack-objects", "-q", str(repo.path / ".git/objects/pack/pack"), data=f"{oid}\n".encode()).decode().strip()
    index = repo.path / f".git/objects/pack/pack-{name}.idx"
    raw = index.read_bytes()
    first = int(victim[:2], 16)
    fanout = b"".join(struct.pack(">I", int(byte >= first)) for byte in range(256))
    _rewrite(index, raw[:8] + fanout + bytes.fromhex(victim) + raw[8 + 1024 + 20 : -20])
    repo.loose_object(victim).unlink()


def swap_in_multi_pack_index(repo: Repo, one: str, other: str) -> None:
    """A multi-pack index in which two packed objects have each other's place."""
    repo.git("multi-pack-index", "write")
    file = repo.path / ".git/objects/pack/multi-pack-index"
    raw = bytearray(file.read_bytes())
    chunks = _chunks(bytes(raw), 12, raw[6])
    names, places = chunks[b"OIDL"], chunks[b"OOFF"]
    at = [places + 8 * _position(bytes(raw), chunks[b"OIDF"], names, oid) for oid in (one, other)]
    first, second = bytes(raw[at[0] : at[0] + 8]), bytes(raw[at[1] : at[1] + 8])
    raw[at[0] : at[0] + 8], raw[at[1] : at[1] + 8] = second, first
    _rewrite(file, bytes(raw[:-20]))


def commit_graph(repo: Repo, parents: dict[str, str | None]) -> None:
    """A commit graph that gives each of these commits that one parent, or none."""
    repo.git("-c", "commitGraph.generationVersion=1", "commit-graph", "write", "--reachable")
    file = repo.path / ".git/objects/info/commit-graph"
    raw = bytearray(file.read_bytes())
    chunks = _chunks(bytes(raw), 8, raw[6])
    none = 0x70000000
    for child, parent in parents.items():
        # An entry is the tree's id, the places of two parents, 30 bits of generation and 34 bits of time.
        at = chunks[b"CDAT"] + 36 * _position(bytes(raw), chunks[b"OIDF"], chunks[b"OIDL"], child) + 20
        place = _position(bytes(raw), chunks[b"OIDF"], chunks[b"OIDL"], parent) if parent else none
        struct.pack_into(">III", raw, at, place, none, (2 if parent else 1) << 2)
    _rewrite(file, bytes(raw[:-20]))


def _chunks(raw: bytes, at: int, count: int) -> dict[bytes, int]:
    """Where each chunk of a git index file starts."""
    return dict(struct.iter_unpack(">4sQ", raw[at : at + 12 * count]))


def _position(raw: bytes, fanout: int, names: int, oid: str) -> int:
    total = int.from_bytes(raw[fanout + 255 * 4 : fanout + 256 * 4], "big")
    return [raw[names + 20 * i : names + 20 * i + 20].hex() for i in range(total)].index(oid)


def _rewrite(file: Path, body: bytes) -> None:
    """Replaces a file that ends in the checksum of the rest."""
    file.unlink()
    file.write_bytes(body + hashlib.sha1(body).digest())
