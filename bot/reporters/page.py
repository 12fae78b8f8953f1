"""Where a report is to be shown: what the reader's medium can do."""

from __future__ import annotations

import msgspec


class Page(msgspec.Struct, frozen=True, kw_only=True):
    """What a reporter may use.

    width       columns of a terminal
    has_color   whether it understands colours
    has_links   whether it shows hyperlinks
    folder      the folder on disk that the report's paths are relative to, for links; empty where there is none
    permalink   what stands before `path#L12` in a link to the head («https://…/blob/SHA/»); empty where nothing does
    has_stats   whether seconds and counts are shown
    """

    width: int = 100
    has_color: bool = False
    has_links: bool = False
    folder: str = ""
    permalink: str = ""
    has_stats: bool = False
