"""Random schedules of one pull request's life: workers that stop anywhere, work at once, and meet a GitHub that fails.

A worker runs in a thread that waits at every request, before it is sent and after it was answered, until the schedule
lets it go on. One that was killed never goes on: what it held stays held, as with a process that is gone. The clock
stands still unless the schedule moves it, so a schedule is the same every time.
"""

from __future__ import annotations

import contextlib
import pathlib
import random
import threading
from collections.abc import Callable, Iterator, Mapping
from urllib.parse import urlsplit

import msgspec

from analyzers.tree import MemoryTree
from bot.books import DatabaseBooks
from bot.changes import ChangeSet
from bot.config import Config
from bot.database import PostgresDatabase
from bot.dispatch import wanted
from bot.github.api import GitHub, Remote
from bot.github.errors import Unavailable
from bot.github.transport import Answer, Transport
from bot.publishing.markers import SUMMARY, fingerprint_of, review_mark
from bot.queue.jobs import Queue
from bot.report import Report
from bot.reviewing import Means
from bot.server import loop
from bot.server.keeping import Keeping
from bot.server.tasks import Tasks
from bot.webhook.events import Repository, parse
from tests.fakes.github import FakeGitHub
from tests.fakes.github.calls import Request
from tests.fakes.github.faults import Fault, bad_gateway, bad_gateway_after
from tests.fakes.github.git import Bare
from tests.fakes.github.hunks import FileDiff
from tests.fakes.github.state import App, Delivery, Installation, Pull, Repo

_WRITES = r"POST .*/(reviews|comments|check-runs|replies)$|PATCH .*|GRAPHQL .*Review.*"
_MOST_ROUNDS = 60
_PAUSE = 61.0
"""Longer than the lease of a job: another worker may take over from one that hangs."""


class Killed(BaseException):
    """How abandoned threads end once nobody looks any more."""


class Actor:
    """One worker in its thread."""

    def __init__(self, work: Callable[[], object]) -> None:
        self._go, self._came = threading.Semaphore(0), threading.Semaphore(0)
        self.is_done = self.is_abandoned = False
        self.hung = 0  # how often it hung in the midst of one write
        self._work = work
        self.error: BaseException | None = None
        self.thread = threading.Thread(target=self._run, daemon=True)
        self.thread.start()

    def _run(self) -> None:
        self._go.acquire()
        _LOCAL.actor = self
        try:
            if not self.is_abandoned:
                self._work()
        except Killed:
            pass
        except BaseException as error:
            self.error = error
        self.is_done = True
        self._came.release()

    def pause(self) -> None:
        """Called by the worker: wait to be let on."""
        self.hung = 0
        if self.is_abandoned:
            raise Killed
        self._came.release()
        self._go.acquire()
        if self.is_abandoned:
            raise Killed

    def step(self) -> None:
        """Let it on to its next request."""
        self._go.release()
        assert self._came.acquire(timeout=60), "a worker hangs"
        if self.error is not None:
            raise self.error

    def abandon(self) -> None:
        """After the schedule: let the thread end."""
        self.is_abandoned = True
        if not self.is_done:
            self._go.release()
            self.thread.join(timeout=10)


_LOCAL = threading.local()


class StillBare:
    """Refs of one schedule over the objects of a repository that all schedules share. Answers are kept."""

    def __init__(self, bare: Bare, kept: dict[tuple[object, ...], object], refs: Mapping[str, str]) -> None:
        self._bare, self._kept, self._refs = bare, kept, dict(refs)

    def _once(self, name: str, *words: str) -> object:
        key = (name, *words)
        if key not in self._kept:
            self._kept[key] = getattr(self._bare, name)(*words)
        return self._kept[key]

    def refs(self) -> dict[str, str]:
        return dict(self._refs)

    def set_refs(self, refs: Mapping[str, str | None]) -> None:
        for name, commit in refs.items():
            if commit is None:
                self._refs.pop(name, None)
            else:
                self._refs[name] = commit

    def rev(self, revision: str) -> str | None:
        if revision in self._refs or f"refs/heads/{revision}" in self._refs:
            return self._refs.get(revision) or self._refs[f"refs/heads/{revision}"]
        return revision if len(revision) == 40 else None

    def take(self, other: object, commit: str) -> None:
        """All objects are here."""

    def read(self, commit: str, path: str) -> bytes | None:
        return self._once("read", commit, path)  # type: ignore[return-value]

    def merge_base(self, one: str, other: str) -> str:
        return self._once("merge_base", one, other)  # type: ignore[return-value]

    def is_ancestor(self, old: str, new: str) -> bool:
        return self._once("is_ancestor", old, new)  # type: ignore[return-value]

    def commits(self, base: str, head: str) -> list[str]:
        return self._once("commits", base, head)  # type: ignore[return-value]

    def diff(self, base: str, head: str) -> tuple[FileDiff, ...]:
        return self._once("diff", base, head)  # type: ignore[return-value]

    def moved(self, old: str, new: str, path: str, line: int) -> tuple[str, int] | None:
        key = ("moved", old, new, path, line)
        if key not in self._kept:
            self._kept[key] = self._bare.moved(old, new, path, line)
        return self._kept[key]  # type: ignore[return-value]

    def merged(self, base: str, head: str, message: str, when: int) -> str | None:
        return self._once("merged", base, head, "Merge", 1_800_000_000)  # type: ignore[arg-type,return-value]

    def git(self, *words: str, **more: object) -> str:
        return self._once("git", *words)  # type: ignore[return-value]


class Shared(msgspec.Struct, frozen=True):
    """What all schedules use: the fake, the versions of the branch as commits, and their reports."""

    github: FakeGitHub
    bare: Bare
    base: str
    versions: tuple[str, ...]
    reports: Mapping[str, Report]
    kept: dict[tuple[object, ...], object]
    app: App


class StillTasks(Tasks):
    """Tasks whose analyses were done before."""

    def __init__(self, app: object, books: DatabaseBooks, reports: Mapping[str, Report]) -> None:
        self._reports = reports
        super().__init__(app, Keeping(books, pathlib.Path("nowhere")), 1)  # type: ignore[arg-type]

    @contextlib.contextmanager
    def _means(self, repository: Repository, rights: loop.Rights) -> Iterator[Means]:
        yield Means(source=self, books=self._books, still_wanted=rights.still_wanted)

    @contextlib.contextmanager
    def change(self, id: int, remote: Remote, base: str, head: str) -> Iterator[ChangeSet]:
        """See `ChangeSource`."""
        empty = MemoryTree({})
        yield ChangeSet(after=empty, settings=empty, home=None, base=base, head=head)  # type: ignore[arg-type]


def known_reports(reports: Mapping[str, Report]) -> Callable[[GitHub, ChangeSet, Config, Means], Report]:
    """In place of `reviewing.analysed`."""

    def analysed(github: GitHub, change: ChangeSet, config: Config, means: Means) -> Report:
        means.still_wanted()
        return reports[change.head or ""]

    return analysed


def sleeper(github: FakeGitHub) -> Callable[[float], None]:
    """In place of `time.sleep`: others may go on meanwhile."""

    def sleep(seconds: float) -> None:
        actor: Actor | None = getattr(_LOCAL, "actor", None)
        if actor is not None:
            actor.pause()
        github.clock.advance(seconds)

    return sleep


def sender(github: FakeGitHub, random_of: Callable[[], random.Random]) -> Callable[..., Answer]:
    """In place of `Transport._send`: asks the fake without HTTP, and waits for the schedule before and after."""

    def send(
        self: Transport, verb: str, path: str, query: Mapping[str, str], headers: Mapping[str, str], body: object
    ) -> Answer:
        actor: Actor | None = getattr(_LOCAL, "actor", None)
        route = urlsplit(path).path
        is_worth_it = verb != "GET" and "access_tokens" not in route
        if actor is not None and (is_worth_it or random_of().random() < 0.15):
            actor.pause()
        known = {"authorization": f"Bearer {self.tokens.token().value}", **{k.lower(): v for k, v in headers.items()}}
        content = b"" if body is None else msgspec.json.encode(body)
        answer = github.answer(Request(verb, route, dict(query), known, content))
        if actor is not None and is_worth_it:
            actor.pause()
        if answer.status == 0:
            raise Unavailable("no answer")
        text = "" if answer.value is None else msgspec.json.encode(answer.value).decode()
        return Answer(answer.status, answer.headers, text)

    return send


class QuietLease(loop.Lease):
    """A lease by the fake's clock, without a thread to renew it: the schedule says how long a worker hangs."""

    clock: Callable[[], float]

    def __init__(self, queue: Queue, job: object, worker: str) -> None:
        super().__init__(queue, job, worker, self.clock)  # type: ignore[arg-type]

    def __enter__(self) -> QuietLease:
        return self

    def __exit__(self, *_: object) -> None:
        return


class Schedule:
    """One life, from one seed."""

    def __init__(self, seed: int, shared: Shared, queue: Queue, tasks: Tasks, books: DatabaseBooks, database: object) -> None:
        self.random = random.Random(seed)
        self._shared, self._github = shared, shared.github
        self._queue, self._tasks, self._books, self._database = queue, tasks, books, database
        self._actors: list[Actor] = []
        self._undelivered: list[Delivery] = []
        self._delivered: list[Delivery] = []
        self._workers = 0
        self._seed = seed
        self.ignored = ""
        self.happened: list[str] = []

    def run(self) -> None:
        """Chaos for a while, then quiet until all is done; then it must be right."""
        try:
            self._open()
            for _ in range(self.random.randrange(8, 60)):
                self._something()
            self._calm()
            self._check()
        finally:
            for actor in self._actors:
                actor.abandon()
            self._github.repos.pop(self.repo.full_name)
            self._github.installations.pop(self.installation.id)
            self._github.rest.faults.clear()

    def _open(self) -> None:
        github, shared = self._github, self._shared
        refs = {"refs/heads/main": shared.base, "refs/heads/feature": shared.versions[0]}
        bare = StillBare(shared.bare, shared.kept, refs)
        self.repo = Repo(id=github.number(), owner=github.organization("acme"), name=f"r{github.number()}", bare=bare)  # type: ignore[arg-type]
        self.repo.collaborators["ann"] = "write"
        github.repos[self.repo.full_name] = self.repo
        self.installation: Installation = github.install(shared.app, self.repo)
        self.pull: Pull = github.open_pull(self.repo, "feature", "ann")
        self._collect()

    # --- chaos

    def _something(self) -> None:
        living = [actor for actor in self._actors if not actor.is_done]
        choices: list[tuple[int, Callable[[], None]]] = [(6, self._deliver), (1, self._push), (2, self._fail), (1, self._repeat), (1, self._ignore)]
        if len(living) < 2 and self._queue.depth()["waiting"] + self._queue.depth()["running"]:
            choices.append((6, self._hire))
        if living:
            choices += [(30, self._step), (2, self._kill), (2, self._hang)]
        weights = [weight for weight, _ in choices]
        self.random.choices([choice for _, choice in choices], weights)[0]()

    def _ignore(self) -> None:
        """Somebody ends the matter of one finding."""
        if not self.ignored:
            first = self._shared.reports[self._shared.versions[0]].introduced[0]
            self.ignored = first.fingerprint
            self._github.comment(self.pull, "ann", f"/leakcheck ignore {self.ignored} fine")
            self._note("ignore")

    def _note(self, what: str) -> None:
        self.happened.append(what)

    def _hire(self) -> None:
        self._workers += 1
        name = f"w{self._seed}-{self._workers}"
        worker = loop.Worker(self._queue, self._tasks, self._books, name)
        self._actors.append(Actor(worker.work))
        self._note(f"hire {name}")

    def _step(self) -> None:
        living = [actor for actor in self._actors if not actor.is_done]
        actor = self.random.choice(living)
        for _ in range(self.random.randrange(1, 6)):
            if actor.is_done:
                break
            actor.step()
            self._note(f"step {self._actors.index(actor) + 1}: {self._last()}")

    def _last(self) -> str:
        return self._github.rest.log[-1].operation if self._github.rest.log else ""

    def _kill(self) -> None:
        """It never goes on; it is noticed once its lease is over."""
        living = [actor for actor in self._actors if not actor.is_done]
        actor = self.random.choice(living)
        actor.is_done = True
        self._note(f"kill {self._actors.index(actor) + 1}")
        if self.random.random() < 0.5:
            self._hang()

    def _hang(self) -> None:
        """Nobody goes on for longer than a lease; in the midst of a write only once, as the time of a request is up."""
        living = [actor for actor in self._actors if not actor.is_done]
        if any(actor.hung for actor in living):
            return
        for actor in living:
            actor.hung += 1
        self._github.clock.advance(_PAUSE)
        self._expire()
        self._note("hang")

    def _expire(self) -> None:
        if isinstance(self._database, PostgresDatabase):
            with self._database.transaction("test") as database:
                database.rows("UPDATE procrastinate_workers SET last_heartbeat = now() - interval '1 hour'")
                database.rows("UPDATE procrastinate_jobs SET scheduled_at = NULL WHERE status = 'todo'")

    def _push(self) -> None:
        head = self.random.choice([each for each in self._shared.versions if each != self.pull.head])
        before = self.repo.bare.refs()
        self.repo.bare.set_refs({"refs/heads/feature": head})
        self._github.after_push(self.repo, before, self._github.user("ann"))
        self._collect()
        self._note(f"push {self._shared.versions.index(head)}")

    def _fail(self) -> None:
        make = self.random.choice([bad_gateway, bad_gateway_after, bad_gateway_after])
        fault: Fault = make(_WRITES, 1, self.random.randrange(3))
        self._github.fail(fault)
        self._note(f"fail {make.__name__}")

    # --- webhooks

    def _collect(self) -> None:
        self._undelivered += self._github.hooks.take()

    def _deliver(self) -> None:
        self._collect()
        if self._undelivered:
            self._hand_over(self._undelivered.pop(self.random.randrange(len(self._undelivered))))

    def _repeat(self) -> None:
        if self._delivered:
            self._hand_over(self.random.choice(self._delivered))

    def _hand_over(self, delivery: Delivery) -> None:
        self._delivered.append(delivery)
        job = wanted(parse(delivery.event, delivery.payload), delivery.guid)
        if job is not None:
            self._queue.enqueue(job.key, job.kind, job.payload, delivery.guid, job.installation, job.priority)
            self._note(f"deliver {delivery.event} {delivery.action}")

    # --- quiet

    def _calm(self) -> None:
        """No more faults: who hangs goes on, every delivery arrives, every job is done."""
        self._github.rest.faults.clear()
        self._note("calm")
        for _ in range(_MOST_ROUNDS):
            while living := [actor for actor in self._actors if not actor.is_done]:
                self.random.choice(living).step()
            self._collect()
            while self._undelivered:
                self._hand_over(self._undelivered.pop(0))
            depth = self._queue.depth()
            assert not depth["failed"], "a job was given up"
            if not depth["waiting"] and not depth["running"]:
                return
            self._hang()
            self._hire()
        raise AssertionError("it does not come to rest")

    # --- what must be so

    def _check(self) -> None:
        pull, report = self.pull, self._shared.reports[self.pull.head]
        own = self._shared.app.bot
        asked = [each for each in pull.comments if each.body.startswith("/leakcheck")]
        reactions = [reaction.content for comment in asked for reaction in comment.reactions]
        done = "rocket" in reactions
        assert not asked or done or "confused" in reactions, "a command without an end"
        wanted_names = sorted(
            outcome.fingerprint for outcome in report.introduced if not (done and outcome.fingerprint == self.ignored)
        )
        opened = [fingerprint_of(thread.comments[0].body) for thread in pull.threads if not thread.is_resolved]
        assert sorted(opened) == wanted_names, f"open threads {sorted(opened)}, wanted {wanted_names}"
        summaries = [comment for comment in pull.comments if comment.author is own and SUMMARY in comment.body]
        assert len(summaries) <= 1, "two summaries"
        assert summaries or not wanted_names, "no summary"
        for head in set(pull.head_history):
            reviews = [review for review in pull.reviews if review_mark(head) in review.body]
            assert len(reviews) <= 1, f"{len(reviews)} reviews of one head"
        checks = [run for run in self.repo.checks if run.suite.head == pull.head]
        assert checks and all(run.status == "completed" for run in checks), "a check that never ends"
        verdict = "neutral" if wanted_names else "success"
        assert checks[-1].conclusion == verdict, checks[-1].conclusion

