"""What fixers are told of a project."""

from __future__ import annotations

import msgspec

from analyzers import Detector


class Options(msgspec.Struct, frozen=True, kw_only=True):
    """What fixers are told of a project.

    java_release   language level of its Java (0: as far as the file itself shows)
    c_standard     its C standard (`c89` puts declarations first)
    detectors      who is asked again whether a patch mends (None: all)
    """

    java_release: int = 0
    c_standard: str = ""
    detectors: tuple[Detector, ...] | None = None
