"""From the bytes of a webhook to a resolved thread."""

from __future__ import annotations

from bot.publishing.markers import SUMMARY
from tests.unit.bot.code import JAVA

from .station import Station

MENDED = JAVA.replace("        if (isEmpty) {\n            return -1;\n        }\n", "").replace(
    "        InputStream in = new FileInputStream(file);\n        int value = in.read();\n        in.close();\n        return value;\n",
    "        try (InputStream in = new FileInputStream(file)) {\n            return in.read();\n        }\n",
)


def test_a_pull_request_is_reviewed_and_its_thread_resolved_when_it_is_mended(station: Station) -> None:
    pull = station.open()
    station.turn()
    (thread,) = pull.threads
    assert "```suggestion" in thread.comments[0].body
    assert station.checks(pull.head) == [("completed", "neutral")]
    assert len([comment for comment in station.ours(pull) if SUMMARY in comment.body]) == 1
    station.github.push(station.repo, "topic", {"src/Reader.java": MENDED}, by="ann")
    station.turn()
    assert pull.threads[0].is_resolved and len(pull.threads) == 1
    assert station.checks(pull.head) == [("completed", "success")]
