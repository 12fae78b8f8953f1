"""Finding in, Fix or Declined out: the door. Pure, as analyzers are. What looks for fixes is imported when somebody wants one."""

from __future__ import annotations

from collections.abc import Sequence

from analyzers import Program
from analyzers.finding import Finding
from fixers.fix import Applicability, Check, Declined, Edit, Fix, Verdict
from fixers.options import Options

__all__ = ["Applicability", "Check", "Declined", "Edit", "Fix", "Options", "Verdict", "belong_together", "fix", "fix_behind", "fix_together", "left_over"]


def fix(finding: Finding, program: Program, options: Options | None = None) -> Fix | Declined:
    """A fix with its proof, or why there is none. Never raises."""
    from fixers import driver

    return driver.fix(finding, program, options)


def fix_together(fixes: Sequence[Fix], program: Program, options: Options | None = None) -> Fix | None:
    """The patch that does what all these fixes of one file do, with a proof of the whole; None where there is none."""
    from fixers import together

    return together.fix_together(fixes, program, options)


def fix_behind(fixes: Sequence[Fix], half: Fix | Declined, program: Program, options: Options | None = None) -> Fix | None:
    """The patch that does what one safe patch of a file does, and mends a finding that is mended on some paths only without it."""
    from fixers import together

    return together.fix_behind(fixes, half, program, options)


def belong_together(one: Finding, other: Finding, program: Program) -> bool:
    """Whether a patch of Java for one finding that leaves the other as it is would be half a patch."""
    from fixers import siblings

    return siblings.belong_together(one, other, program)


def left_over(answer: Fix, program: Program) -> str:
    """What a patch of Java leaves for a reviewer to ask about, in the end; empty for nothing."""
    from fixers import siblings

    if name := siblings.left_beside(answer, program):
        return f"`{name}`, which should be mended with it, stays as it is"
    if siblings.closes_in_two_ways(answer):
        return "it is closed in several places"
    return siblings.holds_blocks_inside(answer, program)
