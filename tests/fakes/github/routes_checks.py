"""REST: check runs, check suites, SARIF uploads."""

from __future__ import annotations

import base64
import binascii
import gzip
from datetime import datetime

from tests.fakes.github.calls import Call, Route
from tests.fakes.github.refused import Answer, Refused, not_found
from tests.fakes.github.state import CheckRun, Upload

READ, WRITE = (("checks", "read"),), (("checks", "write"),)
LONGEST_TEXT = 64 * 1024
MOST_SARIF = 10 * 1024 * 1024


def _make_run(call: Call) -> Answer:
    assert call.token
    if call.token.app is None:
        raise Refused(403, "You must authenticate via a GitHub App.")
    head = str(call.body["head_sha"])
    if call.repo.bare.rev(head) != head:
        raise Refused(422, f"No commit found for SHA: {head}")
    suite = call.world.suite(call.repo, call.token.app, head)
    run = CheckRun(id=call.world.number(), suite=suite, name=str(call.body["name"]))
    _change(call, run)
    run.started = run.started or call.world.clock()
    call.repo.checks.append(run)
    return Answer(201, call.world.shapes.check_run(run))


def _change(call: Call, run: CheckRun) -> None:
    body = call.body
    status = body.get("status", run.status)
    if body.get("conclusion"):
        status = "completed"
    if status == "completed" and not (body.get("conclusion") or run.conclusion):
        raise Refused(422, "Invalid request.\n\nMissing required key \"conclusion\" when status is completed.")
    output = body.get("output") or {}
    for annotation in output.get("annotations", ()):
        _check_annotation(annotation)
    run.status = status
    run.conclusion = body.get("conclusion", run.conclusion if status == "completed" else None)
    run.completed = (_seconds(body.get("completed_at")) or call.world.clock()) if status == "completed" else None
    run.started = _seconds(body.get("started_at")) or run.started
    run.name = str(body.get("name", run.name))
    run.external_id = str(body.get("external_id", run.external_id))
    run.details_url = str(body.get("details_url", run.details_url))
    run.title, run.summary = output.get("title", run.title), output.get("summary", run.summary)
    run.text = output.get("text", run.text)
    run.annotations += output.get("annotations", ())
    run.actions = body.get("actions", run.actions)


def _check_annotation(annotation: dict[str, object]) -> None:
    for field, most in (("message", LONGEST_TEXT), ("raw_details", LONGEST_TEXT), ("title", 255)):
        if len(str(annotation.get(field) or "").encode()) > most:
            raise Refused(422, f"Invalid request.\n\n{field} is too long")
    if "start_column" in annotation and annotation["start_line"] != annotation["end_line"]:
        raise Refused(422, "Invalid request.\n\nstart_column is only allowed when start_line and end_line are the same")
    start, end = annotation["start_line"], annotation["end_line"]
    assert isinstance(start, int) and isinstance(end, int)
    if start < 1 or end < start:
        raise Refused(422, "Invalid request.\n\nend_line must not be before start_line")


def _seconds(stamp: object) -> float | None:
    return datetime.fromisoformat(stamp).timestamp() if isinstance(stamp, str) else None


def _run(call: Call) -> CheckRun:
    for run in call.repo.checks:
        if str(run.id) == call.path["check_run_id"]:
            return run
    raise not_found()


def _show_run(call: Call) -> Answer:
    return Answer(200, call.world.shapes.check_run(_run(call)))


def _change_run(call: Call) -> Answer:
    run = _run(call)
    assert call.token
    if run.suite.app is not call.token.app:
        raise Refused(403, "Invalid app_id `0` - check run can only be modified by the GitHub App that created it.")
    _change(call, run)
    return Answer(200, call.world.shapes.check_run(run))


def _annotations(call: Call) -> Answer:
    return call.pages(list(_run(call).annotations))


def _filtered(call: Call, runs: list[CheckRun]) -> Answer:
    kept = [
        run for run in runs
        if call.query.get("check_name", run.name) == run.name and call.query.get("status", run.status) == run.status
        and call.query.get("app_id", str(run.suite.app.id)) == str(run.suite.app.id)
    ]  # fmt: skip
    if call.query.get("filter", "latest") == "latest":
        latest = {(run.suite.id, run.name): run for run in kept}
        kept = list(latest.values())
    return call.pages(kept, "check_runs", call.world.shapes.check_run)


def _runs_of_commit(call: Call) -> Answer:
    commit = call.repo.bare.rev(call.path["ref"])
    if commit is None:
        raise Refused(422, f"No commit found for SHA: {call.path['ref']}")
    return _filtered(call, [run for run in call.repo.checks if run.suite.head == commit])


def _suites_of_commit(call: Call) -> Answer:
    commit = call.repo.bare.rev(call.path["ref"])
    found = [suite for suite in call.repo.suites if suite.head == commit
             and call.query.get("app_id", str(suite.app.id)) == str(suite.app.id)]  # fmt: skip
    return call.pages(found, "check_suites", call.world.shapes.check_suite)


def _suite(call: Call) -> Answer:
    for suite in call.repo.suites:
        if str(suite.id) == call.path["check_suite_id"]:
            return Answer(200, call.world.shapes.check_suite(suite))
    raise not_found()


def _runs_of_suite(call: Call) -> Answer:
    return _filtered(call, [run for run in call.repo.checks if str(run.suite.id) == call.path["check_suite_id"]])


def _upload(call: Call) -> Answer:
    encoded = str(call.body["sarif"])
    try:
        packed = base64.b64decode(encoded, validate=True)
        sarif = gzip.decompress(packed)
    except (binascii.Error, OSError):
        raise Refused(400, "The SARIF is not gzipped and base64-encoded") from None
    if len(packed) > MOST_SARIF:
        raise Refused(413, "The SARIF file is too large")
    upload = Upload(id=call.world.number(), commit=str(call.body["commit_sha"]), ref=str(call.body["ref"]), sarif=sarif)
    call.repo.uploads.append(upload)
    return Answer(202, {"id": str(upload.id), "url": f"{call.url}/{upload.id}"})


def _uploaded(call: Call) -> Answer:
    for upload in call.repo.uploads:
        if str(upload.id) == call.path["sarif_id"]:
            return Answer(200, {"processing_status": "complete", "analyses_url": call.url})
    raise not_found()


_API = "/repos/{owner}/{repo}"

ROUTES = (
    Route(f"POST {_API}/check-runs", _make_run, WRITE),
    Route(f"GET {_API}/check-runs/{{check_run_id}}", _show_run, READ),
    Route(f"PATCH {_API}/check-runs/{{check_run_id}}", _change_run, WRITE),
    Route(f"GET {_API}/check-runs/{{check_run_id}}/annotations", _annotations, READ),
    Route(f"GET {_API}/commits/{{ref}}/check-runs", _runs_of_commit, READ),
    Route(f"GET {_API}/commits/{{ref}}/check-suites", _suites_of_commit, READ),
    Route(f"GET {_API}/check-suites/{{check_suite_id}}", _suite, READ),
    Route(f"GET {_API}/check-suites/{{check_suite_id}}/check-runs", _runs_of_suite, READ),
    Route(f"POST {_API}/code-scanning/sarifs", _upload, (("security_events", "write"),)),
    Route(f"GET {_API}/code-scanning/sarifs/{{sarif_id}}", _uploaded, (("security_events", "read"),)),
)
