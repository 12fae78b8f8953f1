"""A stateful fake of GitHub over real HTTP and real git, held to GitHub's own descriptions.

    with FakeGitHub(tmp_path) as github:
        repo = github.repository("acme/pump", {"src/A.java": "class A { }\\n"}, writers=["ann"])
        app = github.app(hook_url="http://127.0.0.1:8080/webhook")
        installation = github.install(app, repo)
        github.push(repo, "feature", {"src/A.java": "…"}, by="ann")
        pull = github.open_pull(repo, "feature", by="ann")     # webhooks wait in github.hooks.outbox
        github.hooks.send_all()                                # or github.hooks.start() once
        assert not github.violations
"""

from tests.fakes.github.server import FakeGitHub

__all__ = ["FakeGitHub"]
