"""`/metrics`: what all processes of one database count together."""

from __future__ import annotations

from collections.abc import Iterator

from prometheus_client import CollectorRegistry, generate_latest
from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily, Metric

from bot.books import DatabaseBooks
from bot.database import Database
from bot.github import limits
from bot.queue.jobs import Queue


def exposition(queue: Queue, books: DatabaseBooks, database: Database) -> str:
    """The text that Prometheus scrapes."""
    registry = CollectorRegistry()
    registry.register(_Collector(queue, books, database))
    return generate_latest(registry).decode()


class _Collector:
    def __init__(self, queue: Queue, books: DatabaseBooks, database: Database) -> None:
        self._queue, self._books, self._database = queue, books, database

    def collect(self) -> Iterator[Metric]:
        """See `prometheus_client`."""
        depth = GaugeMetricFamily("leakmend_queue", "Jobs by state", labels=["state"])
        for state, number in sorted(self._queue.depth().items()):
            depth.add_metric([state], number)
        yield depth
        jobs = CounterMetricFamily("leakmend_jobs", "Jobs that came to an end", labels=["kind", "ending"])
        seconds = CounterMetricFamily("leakmend_job_seconds", "Time spent on jobs", labels=["kind"])
        for name, label, value in self._books.tallies():
            kind, _, ending = label.partition(":")
            if name == "leakmend_jobs_total":
                jobs.add_metric([kind, ending], value)
            elif name == "leakmend_job_seconds_total":
                seconds.add_metric([label], value)
        yield jobs
        yield seconds
        findings = GaugeMetricFamily("leakmend_findings", "Findings by rule and what became of them", labels=["rule", "state"])
        for rule in self._books.rules():
            for state, number in (("shown", rule.shown), ("fixed", rule.fixed), ("ignored", rule.ignored),
                                  ("disliked", rule.dislikes)):  # fmt: skip
                findings.add_metric([rule.rule, state], number)
        yield findings
        writes = GaugeMetricFamily("leakmend_github_writes", "Writes to GitHub", labels=["installation", "window"])
        blocked = GaugeMetricFamily("leakmend_github_blocked_seconds", "How long GitHub said to wait", labels=["installation"])
        for installation, minute, hour, wait in limits.state(self._database):
            writes.add_metric([str(installation), "minute"], minute)
            writes.add_metric([str(installation), "hour"], hour)
            blocked.add_metric([str(installation)], wait)
        yield writes
        yield blocked
