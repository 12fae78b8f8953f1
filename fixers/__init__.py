"""Finding in, Fix or Declined out: the door. Pure, as analyzers are."""

from __future__ import annotations

from fixers.driver import fix
from fixers.fix import Applicability, Check, Declined, Edit, Fix, Verdict
from fixers.leak import Options
from fixers.together import fix_together

__all__ = ["Applicability", "Check", "Declined", "Edit", "Fix", "Options", "Verdict", "fix", "fix_together"]
