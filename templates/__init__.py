"""All prose and all inserted statements. `render` is the only user of Jinja2."""

from __future__ import annotations

import functools
import pathlib

import jinja2


@functools.cache
def _environment() -> jinja2.Environment:
    """Templates end in `.jinja`; those whose name has `.html` before it escape what they are given."""
    return jinja2.Environment(
        loader=jinja2.FileSystemLoader(pathlib.Path(__file__).parent),
        autoescape=lambda name: name is not None and ".html" in name,
        undefined=jinja2.StrictUndefined,
        keep_trailing_newline=True,
        trim_blocks=True,
        lstrip_blocks=True,
        auto_reload=False,
    )


def render(name: str, /, **context: object) -> str:
    """The text of the template `name` (a path below this folder, without `.jinja`)."""
    return _environment().get_template(f"{name}.jinja").render(**context)
