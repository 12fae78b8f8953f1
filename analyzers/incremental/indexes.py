"""The indexes of many blobs in two records: what they declare, and (wanted less often) all their words."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from analyzers.incremental.blobs import decoded, digest, encode
from analyzers.index import BlobIndex
from analyzers.summaries import SummaryStore

INDEX = "index"

_FEW = 25
"""New blobs that are tokenised again next time rather than written."""


class _Packed(msgspec.Struct, frozen=True, array_like=True, gc=False):
    key: bytes
    items: tuple[str, ...]
    includes: tuple[str, ...]


class Indexes:
    """Indexes by the key of their blob."""

    def __init__(self, store: SummaryStore, version: bytes) -> None:
        self._store = store
        self._version = version
        self._known: dict[bytes, BlobIndex] | None = None
        self._words: dict[bytes, str] | None = None
        self._new: dict[bytes, BlobIndex] = {}

    def find(self, key: bytes) -> BlobIndex | None:
        """The index of a blob, without its words; None where it is not known."""
        if self._known is None:
            packed = decoded(self._store.get(INDEX, self._name("items")), list[_Packed]) or ()
            self._known = {each.key: BlobIndex(each.items, each.includes, "") for each in packed}
        return self._new.get(key) or self._known.get(key)

    def words(self, key: bytes) -> str:
        """The words of a blob; empty where they are not known."""
        new = self._new.get(key)
        return new.words if new is not None else self._all_words().get(key, "")

    def add(self, key: bytes, index: BlobIndex) -> None:
        """Keep a new index."""
        self._new[key] = index

    def save(self, wanted: Sequence[bytes]) -> None:
        """Write the indexes of these blobs, where there is enough new among them."""
        known = self._known or {}
        if len(self._new) <= max(_FEW, len(known) // 50):
            return
        words = self._all_words()
        found = {key: each for key in dict.fromkeys(wanted) if (each := self._new.get(key) or known.get(key)) is not None}
        items = [_Packed(key, each.items, each.includes) for key, each in found.items()]
        texts = {key: self._new[key].words if key in self._new else words.get(key, "") for key in found}
        self._store.put(INDEX, self._name("items"), encode(items))
        self._store.put(INDEX, self._name("words"), encode(texts))
        self._known, self._words = {key: BlobIndex(i.items, i.includes, "") for key, i in found.items()}, texts
        self._new.clear()

    def _all_words(self) -> dict[bytes, str]:
        if self._words is None:
            self._words = decoded(self._store.get(INDEX, self._name("words")), dict[bytes, str]) or {}
        return self._words

    def _name(self, record: str) -> bytes:
        return digest(self._version + b"\0" + record.encode())
