"""Action mode: the same run and the same publisher inside a workflow, with `GITHUB_TOKEN` and no server."""
