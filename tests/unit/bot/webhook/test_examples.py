"""GitHub's own examples of webhooks: every one is understood, or known to ask nothing of us."""

from __future__ import annotations

import collections
import gzip
import json
from pathlib import Path

import pytest

from bot.dispatch import wanted, work_of
from bot.queue.jobs import Job
from bot.webhook.events import parse

FILE = Path(__file__).parents[3] / "fakes" / "github" / "descriptions" / "webhooks.json.gz"
EXAMPLES = [
    (name, example) for name, examples in sorted(json.loads(gzip.decompress(FILE.read_bytes())).items()) for example in examples
]


@pytest.mark.parametrize(("name", "example"), EXAMPLES, ids=lambda value: value if isinstance(value, str) else "")
def test_every_official_example_is_parsed(name: str, example: dict[str, object]) -> None:
    event = parse(name, json.dumps(example).encode())
    job = wanted(event, "d-1")
    if job is not None:
        assert job.key and "\n" not in job.key
        again = work_of(Job(job.key, job.kind, job.payload, 1, job.installation, 1))
        assert again == event, "the payload of a job is the event"


def test_the_examples_lead_to_every_kind_of_work_that_they_hold() -> None:
    kinds = collections.Counter()
    for name, example in EXAMPLES:
        event = parse(name, json.dumps(example).encode())
        kinds[type(event).__name__] += 1
    assert {"ReviewWanted", "PullRequestClosed", "InstallationChanged"} <= kinds.keys()


@pytest.mark.parametrize(("name", "example"), EXAMPLES[::5], ids=lambda value: value if isinstance(value, str) else "")
def test_a_field_that_is_missing_or_odd_makes_an_event_uninteresting_and_nothing_worse(
    name: str, example: dict[str, object]
) -> None:
    for key in example:
        for odd in (None, 7, "x", [], {}, [[]], True):
            wanted(parse(name, json.dumps({**example, key: odd}).encode()), "d-1")
