"""How fast the receiver answers: signed deliveries over HTTP, several at once, against `leakmend serve` without workers.

    python -m benchmarks.server [DELIVERIES] [AT_ONCE]

Prints the rate and the 50th and 99th percentile; exits with 1 where the latter is a second or more.
"""

from __future__ import annotations

import concurrent.futures
import pathlib
import sys
import tempfile
import time

import httpx
import msgspec

from tests.e2e.stage import Stage
from tests.fakes.github.hooks import headers
from tests.fakes.github.state import Delivery

GOAL = 1.0
PULLS = 200


def deliveries(stage: Stage, count: int) -> list[Delivery]:
    """Pushes to many pull requests, as GitHub writes them."""
    stage.app.hook_url = "http://later.invalid"
    stage.propose()
    (first,) = [each for each in stage.github.hooks.take() if each.event == "pull_request"]
    made = []
    for number in range(count):
        pull = number % PULLS + 1
        payload = first.payload.replace(b'"number": 1,', f'"number": {pull},'.encode())
        made.append(
            Delivery(
                id=number, guid=f"00000000-0000-4000-8000-{number:012}", event="pull_request", action="opened", payload=payload,
                app=first.app, installation=first.installation, repository=first.repository, created=first.created,
            )
        )  # fmt: skip
    return made


class Measured(msgspec.Struct, frozen=True):
    """What came of it: answers by status, seconds each and together, and jobs on the queue."""

    statuses: tuple[int, ...]
    times: tuple[float, ...]
    seconds: float
    waiting: int

    @property
    def p99(self) -> float:
        """Seconds within which 99 of 100 were answered."""
        return self.times[int(len(self.times) * 0.99)]


def measured(count: int, at_once: int) -> Measured:
    """Send them all."""
    with tempfile.TemporaryDirectory() as folder, Stage(pathlib.Path(folder)) as stage:
        made = deliveries(stage, count)
        stage.serve(workers=0)
        with httpx.Client(timeout=30, limits=httpx.Limits(max_connections=at_once)) as client:

            def send(delivery: Delivery) -> tuple[int, float]:
                start = time.perf_counter()
                answer = client.post(stage.app.hook_url, content=delivery.payload, headers=headers(delivery))
                return answer.status_code, time.perf_counter() - start

            start = time.perf_counter()
            with concurrent.futures.ThreadPoolExecutor(at_once) as pool:
                answers = list(pool.map(send, made))
            seconds = time.perf_counter() - start
        assert stage.parts is not None
        waiting = stage.parts.queue.depth()["waiting"]
    return Measured(
        tuple(status for status, _ in answers), tuple(sorted(taken for _, taken in answers)), seconds, waiting
    )


def main() -> int:
    """Measure, print, judge."""
    count = int(sys.argv[1]) if len(sys.argv) > 1 else 2000
    at_once = int(sys.argv[2]) if len(sys.argv) > 2 else 20
    result = measured(count, at_once)
    print(f"{count} deliveries, {at_once} at once: {count / result.seconds:.0f}/s, "
          f"p50 {result.times[count // 2] * 1000:.0f} ms, p99 {result.p99 * 1000:.0f} ms; {result.waiting} jobs wait")
    return 0 if result.p99 < GOAL else 1


if __name__ == "__main__":
    sys.exit(main())
