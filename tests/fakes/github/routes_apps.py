"""REST: Apps, installations, tokens, deliveries, users."""

from __future__ import annotations

import secrets

from tests.fakes.github.calls import Call, Route
from tests.fakes.github.hooks import KEPT_SECONDS
from tests.fakes.github.refused import Answer, Refused, not_found
from tests.fakes.github.state import LEVELS, Delivery, Installation, Repo, Token

HOUR = 3600.0
READ_METADATA = (("metadata", "read"),)


def _app(call: Call) -> Answer:
    assert call.app
    return Answer(200, call.world.shapes.app(call.app))


def _app_by_slug(call: Call) -> Answer:
    for app in call.world.apps.values():
        if app.slug == call.path["app_slug"]:
            return Answer(200, call.world.shapes.app(app))
    raise not_found()


def _convert(call: Call) -> Answer:
    """A manifest's code, once."""
    app = call.world.manifests.pop(call.path["code"], None)
    if app is None:
        raise not_found()
    call.world.apps[app.id] = app
    shape = call.world.shapes.app(app)
    secret = {"client_secret": "s" * 40, "webhook_secret": app.secret, "pem": app.private_key.decode()}
    return Answer(201, {**shape, **secret})


def _hook_config(call: Call) -> Answer:
    assert call.app
    if "url" in call.body:
        call.app.hook_url = call.body["url"]
    if "secret" in call.body:
        call.app.secret = call.body["secret"]
    return Answer(200, {"content_type": "json", "insecure_ssl": "0", "secret": "********", "url": call.app.hook_url})


def _deliveries(call: Call) -> Answer:
    """Newest first; the cursor is the id of the last one seen."""
    kept = [each for each in _own(call) if not call.query.get("cursor") or each.id < int(call.query["cursor"])]
    match call.query.get("status"):
        case "success":
            kept = [each for each in kept if 200 <= each.status < 300]
        case "failure":
            kept = [each for each in kept if not 200 <= each.status < 300]
    size = int(call.query.get("per_page", 30))
    page = kept[:size]
    link = f'<{call.url}?per_page={size}&cursor={page[-1].id}>; rel="next"' if len(kept) > size else ""
    return Answer(200, [call.world.shapes.delivery(each) for each in page], {"link": link} if link else {})


def _own(call: Call) -> list[Delivery]:
    hooks, oldest = call.world.hooks, call.world.clock() - KEPT_SECONDS
    return [each for each in reversed(hooks.log) if each.app is call.app and each.created >= oldest and not each.is_pending]


def _delivery(call: Call) -> Answer:
    for each in _own(call):
        if str(each.id) == call.path["delivery_id"]:
            return Answer(200, call.world.shapes.delivery(each))
    raise not_found()


def _redeliver(call: Call) -> Answer:
    for each in _own(call):
        if str(each.id) == call.path["delivery_id"]:
            call.world.hooks.redeliver(each)
            return Answer(202, {})
    raise not_found()


def _installations(call: Call) -> Answer:
    own = [each for each in call.world.installations.values() if each.app is call.app and not each.is_removed]
    return call.pages(own, shape=call.world.shapes.installation)


def _installation(call: Call) -> Answer:
    return Answer(200, call.world.shapes.installation(call.installation()))


def _repo_installation(call: Call) -> Answer:
    for each in call.world.installations.values():
        if each.app is call.app and not each.is_removed and call.repo in each.repos:
            return Answer(200, call.world.shapes.installation(each))
    raise not_found()


def _access_token(call: Call) -> Answer:
    installation = call.installation()
    if installation.suspended is not None:
        raise Refused(403, "This installation has been suspended")
    permissions = dict(installation.permissions)
    for name, level in call.body.get("permissions", {}).items():
        if LEVELS.index(level) > LEVELS.index(installation.permissions.get(name, "none")):
            raise Refused(422, "The permissions requested are not granted to this installation.")
    if call.body.get("permissions"):
        permissions = {"metadata": "read", **call.body["permissions"]}
    repos = _narrowed(call, installation)
    expires = call.world.clock() + HOUR
    token = Token(
        text=f"ghs_{installation.app.id}_{secrets.token_urlsafe(180)}", kind="installation", actor=installation.app.bot,
        permissions=permissions, repos=repos, expires=expires, app=installation.app, installation=installation,
    )  # fmt: skip
    call.world.tokens[token.text] = token
    shape: dict[str, object] = {"token": token.text, "expires_at": call.world.clock.stamp(expires), "permissions": permissions}
    shape["repository_selection"] = "selected"
    if repos is not None:
        shape["repositories"] = [call.world.shapes.repo(repo) for repo in repos]
    return Answer(201, shape)


def _narrowed(call: Call, installation: Installation) -> list[Repo] | None:
    """The repositories that a token is asked for; None for all."""
    names, numbers = call.body.get("repositories"), call.body.get("repository_ids")
    if names is None and numbers is None:
        return None
    wanted = [repo for repo in installation.repos if repo.name in (names or ()) or repo.id in (numbers or ())]
    if len(wanted) != len(names or ()) + len(numbers or ()):
        raise Refused(422, "There is at least one repository that does not exist or is not accessible to the parent installation.")
    return wanted


def _own_repositories(call: Call) -> Answer:
    assert call.token and call.token.installation
    repos = call.token.installation.repos if call.token.repos is None else call.token.repos
    return call.pages(list(repos), "repositories", call.world.shapes.repo)


def _revoke(call: Call) -> Answer:
    assert call.token
    call.world.tokens.pop(call.token.text, None)
    return Answer(204)


def _user(call: Call) -> Answer:
    account = call.world.accounts.get(call.path["username"])
    if account is None:
        raise not_found()
    return Answer(200, call.world.shapes.account(account) | {"user_view_type": "public"})


def _me(call: Call) -> Answer:
    if call.token is None or call.token.kind != "user":
        raise Refused(403, "Resource not accessible by integration")
    return Answer(200, call.world.shapes.account(call.token.actor) | {"user_view_type": "public"})


def _rate_limit(call: Call) -> Answer:
    from tests.fakes.github.rest import key_of

    headers = call.world.limits.headers(key_of(call.token))
    core = {name: int(headers[f"x-ratelimit-{name}"]) for name in ("limit", "used", "remaining", "reset")}
    return Answer(200, {"resources": {"core": core, "search": core}, "rate": core})


ROUTES = (
    Route("GET /app", _app, is_app=True),
    Route("POST /app-manifests/{code}/conversions", _convert),
    Route("GET /app/hook/config", _hook_config, is_app=True),
    Route("PATCH /app/hook/config", _hook_config, is_app=True),
    Route("GET /app/hook/deliveries", _deliveries, is_app=True),
    Route("GET /app/hook/deliveries/{delivery_id}", _delivery, is_app=True),
    Route("POST /app/hook/deliveries/{delivery_id}/attempts", _redeliver, is_app=True),
    Route("GET /app/installations", _installations, is_app=True),
    Route("GET /app/installations/{installation_id}", _installation, is_app=True),
    Route("POST /app/installations/{installation_id}/access_tokens", _access_token, is_app=True),
    Route("GET /apps/{app_slug}", _app_by_slug),
    Route("GET /installation/repositories", _own_repositories),
    Route("DELETE /installation/token", _revoke),
    Route("GET /rate_limit", _rate_limit),
    Route("GET /user", _me),
    Route("GET /users/{username}", _user),
    Route("GET /repos/{owner}/{repo}/installation", _repo_installation, is_app=True),
)
