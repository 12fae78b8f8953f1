"""Finding in, Fix or Declined out: the door. Pure, as analyzers are."""

from __future__ import annotations

from fixers.combined import fix_all
from fixers.driver import fix
from fixers.fix import Applicability, Check, Declined, Edit, Fix, Verdict
from fixers.leak import Options

__all__ = ["Applicability", "Check", "Declined", "Edit", "Fix", "Options", "Verdict", "fix", "fix_all"]
