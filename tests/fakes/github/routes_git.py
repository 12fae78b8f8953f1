"""REST: repositories, commits, contents and the Git data API."""

from __future__ import annotations

import base64

from tests.fakes.github.calls import Call, Route
from tests.fakes.github.git import GitFailed
from tests.fakes.github.hunks import FileDiff
from tests.fakes.github.refused import Answer, Refused, not_found
from tests.fakes.github.state import ROLES, Pull, Repo

READ, WRITE = (("contents", "read"),), (("contents", "write"),)
METADATA = (("metadata", "read"),)
WORKFLOWS = ".github/workflows/"
LONGEST_PATCH = 500 * 1024


def _repo(call: Call) -> Answer:
    return Answer(200, call.world.shapes.repo(call.repo) | {"subscribers_count": 0, "network_count": 0})


def _permission(call: Call) -> Answer:
    login = call.path["username"]
    account = call.world.accounts.get(login)
    if account is None:
        raise not_found()
    role = call.repo.role(login)
    legacy = {"maintain": "write", "triage": "read"}.get(role, role)
    flags = {name: ROLES.index(role) >= ROLES.index(level) for name, level in
             (("pull", "read"), ("triage", "triage"), ("push", "write"), ("maintain", "maintain"), ("admin", "admin"))}
    user = {**call.world.shapes.account(account), "permissions": flags, "role_name": role}
    return Answer(200, {"permission": legacy, "role_name": role, "user": user})


def _branch(call: Call) -> Answer:
    name = call.path["branch"]
    commit = call.repo.bare.rev(f"refs/heads/{name}")
    if commit is None:
        raise Refused(404, "Branch not found")
    shape = {"name": name, "commit": commit_shape(call, commit), "protected": name in call.repo.protected}
    return Answer(200, shape)


def _commit(call: Call) -> Answer:
    return Answer(200, commit_shape(call, _found(call, call.path["ref"])))


def _found(call: Call, ref: str) -> str:
    if not call.repo.bare.refs():
        raise Refused(409, "Git Repository is empty.")
    found = call.repo.bare.rev(ref) or call.repo.bare.rev(f"refs/{ref}")
    if found is None:
        raise Refused(422, f"No commit found for SHA: {ref}")
    return found


def commit_shape(call: Call, commit: str) -> dict[str, object]:
    """A commit."""
    fields = call.repo.bare.git("show", "-s", "--format=%T%x00%P%x00%an%x00%ae%x00%cI%x00%B", commit).split("\0")
    tree, parents, name, mail, date, message = fields[0], fields[1].split(), *fields[2:5], fields[5].rstrip("\n")
    url = f"{call.world.shapes.api}/repos/{call.repo.full_name}"
    person = {"name": name, "email": mail, "date": date}
    account = call.world.accounts.get(name)
    return {
        "sha": commit, "node_id": f"C_{commit}", "url": f"{url}/commits/{commit}", "html_url": call.world.shapes.url,
        "author": call.world.shapes.account(account) if account else None,
        "committer": call.world.shapes.account(account) if account else None,
        "parents": [{"sha": parent, "url": f"{url}/commits/{parent}"} for parent in parents],
        "commit": {
            "author": person, "committer": person, "message": message, "tree": {"sha": tree, "url": f"{url}/git/trees/{tree}"},
            "url": f"{url}/git/commits/{commit}", "comment_count": 0,
            "verification": {"verified": False, "reason": "unsigned", "signature": None, "payload": None, "verified_at": None},
        },
    }  # fmt: skip


def _pulls_of(call: Call) -> Answer:
    commit = call.path["commit_sha"]
    found = [pull for pull in call.repo.pulls.values() if commit in pull.head_history]
    return call.pages(found, shape=call.world.shapes.pull)


def _compare(call: Call) -> Answer:
    base, _, head = call.path["basehead"].partition("...")
    bare = call.repo.bare
    start, tip = _found(call, base), _found(call, head)
    fork = bare.merge_base(start, tip)
    ahead, behind = bare.commits(start, tip), bare.commits(tip, start)
    status = "identical" if start == tip else "diverged" if ahead and behind else "ahead" if ahead else "behind"
    return Answer(200, {
        "status": status, "ahead_by": len(ahead), "behind_by": len(behind), "total_commits": len(ahead),
        "base_commit": commit_shape(call, start), "merge_base_commit": commit_shape(call, fork),
        "commits": [commit_shape(call, each) for each in ahead[:250]],
        "files": [file_shape(call, file, tip) for file in bare.diff(fork, tip)[:300]],
    })  # fmt: skip


def shown_files(pull: Pull, head: str) -> tuple[FileDiff, ...]:
    """What a pull request changes: from where it left its base."""
    bare = pull.repo.bare
    return bare.diff(bare.merge_base(pull.base, head), head)


def file_shape(call: Call, file: FileDiff, head: str) -> dict[str, object]:
    """One changed file. Large ones come without their patch."""
    blob = call.repo.bare.git("rev-parse", "--verify", "--quiet", f"{head}:{file.path}", allowed=(0, 1, 128)).strip()
    url = f"{call.world.shapes.api}/repos/{call.repo.full_name}/contents/{file.path}?ref={head}"
    shape: dict[str, object] = {
        "sha": blob or None, "filename": file.path, "status": file.status, "additions": file.additions,
        "deletions": file.deletions, "changes": file.additions + file.deletions, "contents_url": url, "raw_url": url,
        "blob_url": url,
    }  # fmt: skip
    if file.previous:
        shape["previous_filename"] = file.previous
    if file.patch and len(file.patch) <= LONGEST_PATCH:
        shape["patch"] = file.patch
    return shape


def _contents(call: Call) -> Answer:
    commit = _found(call, call.query.get("ref", call.repo.default_branch))
    path = call.path["path"]
    content = call.repo.bare.read(commit, path)
    if content is None:
        raise not_found()
    if len(content) > 100 * 1024 * 1024:
        raise Refused(403, "This API returns blobs up to 100 MB in size.")
    url = f"{call.world.shapes.api}/repos/{call.repo.full_name}/contents/{path}"
    return Answer(200, {
        "type": "file", "encoding": "base64", "size": len(content), "name": path.rpartition("/")[2], "path": path,
        "content": base64.encodebytes(content).decode(), "sha": call.repo.bare.git("rev-parse", f"{commit}:{path}").strip(),
        "url": url, "_links": {"self": url, "git": None, "html": None},
    })  # fmt: skip


# --- git data


def _make_blob(call: Call) -> Answer:
    content = str(call.body["content"])
    raw = base64.b64decode(content) if call.body.get("encoding") == "base64" else content.encode()
    made = call.repo.bare.git("hash-object", "-w", "--stdin", given=raw).strip()
    return Answer(201, {"sha": made, "url": f"{call.world.shapes.api}/repos/{call.repo.full_name}/git/blobs/{made}"})


def _make_tree(call: Call) -> Answer:
    bare = call.repo.bare
    entries: dict[str, str] = {}
    if call.body.get("base_tree"):
        for record in bare.git("ls-tree", "-r", "-z", str(call.body["base_tree"])).split("\0")[:-1]:
            head, _, name = record.partition("\t")
            entries[name] = head
    for each in call.body["tree"]:
        path = each["path"]
        check_path(path, call)
        if "content" in each:
            made = bare.git("hash-object", "-w", "--stdin", given=each["content"].encode()).strip()
            entries[path] = f"{each.get('mode', '100644')} blob {made}"
        elif each.get("sha") is None:
            entries.pop(path, None)
        else:
            entries[path] = f"{each.get('mode', '100644')} blob {each['sha']}"
    tree = write_tree(call.repo, entries)
    return Answer(201, {"sha": tree, "url": call.world.shapes.api, "truncated": False, "tree": []})


def check_path(path: str, call: Call) -> None:
    """What may not be in a tree, and what an App without `workflows` may not touch."""
    if any(part in ("", ".", "..", ".git") for part in path.lower().split("/")):
        raise Refused(422, f"tree.path contains a malformed path component: {path}")
    if path.startswith(WORKFLOWS) and call.token and not call.token.may("workflows", "write"):
        raise Refused(403, "Resource not accessible by integration")


def write_tree(repo: Repo, entries: dict[str, str]) -> str:
    """A tree of `mode type id` by path."""
    lines = "".join(f"{head}\t{path}\0" for path, head in entries.items())
    return repo.bare.write_tree(lines.encode("utf-8", "surrogateescape"))


def _git_commit(call: Call) -> Answer:
    commit = call.repo.bare.rev(call.path["commit_sha"])
    if commit is None:
        raise not_found()
    return Answer(200, _git_shape(call, commit))


def _git_shape(call: Call, commit: str) -> dict[str, object]:
    shape = commit_shape(call, commit)
    inner = shape["commit"]
    assert isinstance(inner, dict)
    parents = [{**each, "html_url": call.world.shapes.url} for each in shape["parents"]]  # type: ignore[attr-defined]
    kept = {name: inner[name] for name in ("author", "committer", "message", "tree", "verification", "url")}
    return {"sha": commit, "node_id": f"C_{commit}", "html_url": call.world.shapes.url, "parents": parents, **kept}


def _make_commit(call: Call) -> Answer:
    parents = [word for parent in call.body.get("parents", ()) for word in ("-p", parent)]
    made = call.repo.bare.git("commit-tree", str(call.body["tree"]), *parents, "-m", str(call.body["message"])).strip()
    return Answer(201, _git_shape(call, made))


def _ref(call: Call) -> Answer:
    name = f"refs/{call.path['ref']}"
    commit = call.repo.bare.refs().get(name)
    if commit is None:
        raise not_found()
    return Answer(200, _ref_shape(call, name, commit))


def _ref_shape(call: Call, name: str, commit: str) -> dict[str, object]:
    url = f"{call.world.shapes.api}/repos/{call.repo.full_name}/git"
    target = {"type": "commit", "sha": commit, "url": f"{url}/commits/{commit}"}
    return {"ref": name, "node_id": f"Ref_{name}", "url": f"{url}/{name}", "object": target}


def _matching(call: Call) -> Answer:
    prefix = f"refs/{call.path['ref']}"
    found = sorted((name, commit) for name, commit in call.repo.bare.refs().items() if name.startswith(prefix))
    return Answer(200, [_ref_shape(call, *each) for each in found])


def _make_ref(call: Call) -> Answer:
    name, commit = str(call.body["ref"]), str(call.body["sha"])
    if not name.startswith("refs/") or name.count("/") < 2:
        raise Refused(422, "Reference name must start with 'refs/' and contain at least three components.")
    if name in call.repo.bare.refs():
        raise Refused(422, "Reference already exists")
    _set(call, name, commit)
    return Answer(201, _ref_shape(call, name, commit))


def _set(call: Call, name: str, commit: str | None) -> None:
    if name.removeprefix("refs/heads/") in call.repo.protected:
        raise Refused(422, "Cannot update this protected ref.")
    before = call.repo.bare.refs()
    try:
        call.repo.bare.set_refs({name: commit})
    except GitFailed:
        raise Refused(422, "Object does not exist") from None
    call.world.after_push(call.repo, before, call.actor)


def _update_ref(call: Call) -> Answer:
    name, commit = f"refs/{call.path['ref']}", str(call.body["sha"])
    current = call.repo.bare.refs().get(name)
    if current is None:
        raise Refused(422, "Reference does not exist")
    if call.repo.bare.rev(commit) is None:
        raise Refused(422, "Object does not exist")
    if not call.body.get("force") and not call.repo.bare.is_ancestor(current, commit):
        raise Refused(422, "Update is not a fast forward")
    _set(call, name, commit)
    return Answer(200, _ref_shape(call, name, commit))


def _delete_ref(call: Call) -> Answer:
    name = f"refs/{call.path['ref']}"
    if name not in call.repo.bare.refs():
        raise Refused(422, "Reference does not exist")
    _set(call, name, None)
    return Answer(204)


def _tree(call: Call) -> Answer:
    try:
        words = ("-r", "-t") if call.query.get("recursive") else ()
        listed = call.repo.bare.git("ls-tree", "-z", "-l", *words, call.path["tree_sha"])
    except GitFailed:
        raise not_found() from None
    entries = []
    for record in listed.split("\0")[:-1]:
        head, _, name = record.partition("\t")
        mode, kind, digest, size = head.split()
        entries.append({"path": name, "mode": mode, "type": kind, "sha": digest} | ({"size": int(size)} if size != "-" else {}))
    tree = call.repo.bare.git("rev-parse", call.path["tree_sha"] + "^{tree}").strip()
    return Answer(200, {"sha": tree, "url": call.url, "truncated": False, "tree": entries})


_API = "/repos/{owner}/{repo}"

ROUTES = (
    Route(f"GET {_API}", _repo, METADATA),
    Route(f"GET {_API}/branches/{{branch}}", _branch, READ),
    Route(f"GET {_API}/collaborators/{{username}}/permission", _permission, METADATA),
    Route(f"GET {_API}/commits/{{ref}}", _commit, READ),
    Route(f"GET {_API}/commits/{{commit_sha}}/pulls", _pulls_of, (("pull_requests", "read"), ("contents", "read"))),
    Route(f"GET {_API}/compare/{{basehead}}", _compare, READ),
    Route(f"GET {_API}/contents/{{path}}", _contents, READ),
    Route(f"POST {_API}/git/blobs", _make_blob, WRITE),
    Route(f"POST {_API}/git/commits", _make_commit, WRITE),
    Route(f"GET {_API}/git/commits/{{commit_sha}}", _git_commit, READ),
    Route(f"GET {_API}/git/matching-refs/{{ref}}", _matching, READ),
    Route(f"GET {_API}/git/ref/{{ref}}", _ref, READ),
    Route(f"POST {_API}/git/refs", _make_ref, WRITE),
    Route(f"PATCH {_API}/git/refs/{{ref}}", _update_ref, WRITE),
    Route(f"DELETE {_API}/git/refs/{{ref}}", _delete_ref, WRITE),
    Route(f"POST {_API}/git/trees", _make_tree, WRITE),
    Route(f"GET {_API}/git/trees/{{tree_sha}}", _tree, READ),
)
