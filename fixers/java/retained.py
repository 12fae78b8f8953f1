"""From a finding of `retained-by-loop` to a verified fix: no read may reach what is let go of, then or later.

The patched text is analysed again: the procedure of the finding, and those that an edit touches. What the proposal
has to assume (that nobody asks for a value any more, say) is ASSUMED in the proof.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from analyzers import Program, analyze
from analyzers.finding import Finding
from analyzers.ir import Load, Store
from analyzers.queries import ProcedureKey
from analyzers.slots import Slot, SlotReader, Touched
from analyzers.specs.containers import load_containers
from fixers import tree
from fixers.edits import apply
from fixers.fix import CHECKS, STILL_REPORTED, Check, Declined, Edit, Fix, Verdict
from fixers.java.clear_reference import propose
from fixers.java.kept import Kept, Proposal
from fixers.leak import Refusal
from fixers.options import Options
from fixers.reanalysis import changed_procedures, key_of
from fixers.setting import is_generated
from fixers.tree import COMMENTS, Tree, walk

PROVED, ASSUMED, REFUTED = Verdict.PROVED, Verdict.ASSUMED, Verdict.REFUTED


def answer(finding: Finding, program: Program, options: Options) -> Fix | Declined:
    """A fix with its proof, or why there is none."""
    data = program.source(finding.path)
    if is_generated(finding.path, data):
        return Declined(finding, "the file is generated")
    syntax = tree.parse_file("java", data)
    if syntax.errors:
        return Declined(finding, "the file has a syntax error")
    reader = SlotReader(program, load_containers())
    kept = Kept(finding, program, reader, syntax, data, _touched(finding, program, reader))
    reasons: list[str] = []
    best: Fix | None = None
    for proposed in propose(kept):
        if isinstance(proposed, Refusal):
            reasons.append(proposed.reason)
            continue
        found = Fix(finding, proposed.title, proposed.edits, proof(finding, program, options, proposed))
        refuted = next((check for check in found.proof if check.verdict is REFUTED), None)
        if refuted is not None:
            reasons.append(refuted.reason)
        elif best is None:
            best = found
    return best or Declined(finding, reasons[-1] if reasons else "who is the last to need it is not known")


def _touched(finding: Finding, program: Program, reader: SlotReader) -> Touched | None:
    """The field that the finding names, with all its uses."""
    owner, _, name = finding.resource.rpartition(".")
    for path in dict.fromkeys((finding.path, finding.lost.path)):
        unit = program.unit(path)
        for declared in unit.types if unit is not None else ():
            for field in declared.fields:
                if declared.name == owner and field.name == name:
                    written = field.type.partition("<")[0].replace("[]", "").strip()
                    resolved = program.resolve_type(path, owner, written) or written
                    array = "[]" if field.type.rstrip().endswith("[]") else ""
                    slot = Slot(owner, name, resolved + array, path, field.attributes)
                    return reader.touched(reader.refined(slot))
    return None


def proof(finding: Finding, program: Program, options: Options, proposed: Proposal) -> tuple[Check, ...]:
    """Every check on the patched text; what the proposal assumes is assumed of «no use after release»."""
    data = apply(program.source(finding.path), proposed.edits)
    patched = program.beside_with({finding.path: data})
    before, after = tree.parse_file("java", program.source(finding.path)), tree.parse_file("java", data)
    found = {"parses": (PROVED, "no new syntax error") if not after.errors else (REFUTED, "the patched text has a syntax error")}
    if not after.errors:
        found.update(_judged(finding, program, patched, options, proposed))
        is_removed = proposed.title.startswith("Remove `")
        found["comments kept"] = (PROVED, "but for those on what goes") if is_removed else _comments(before, after)
    return tuple(Check(name, *found[name]) for name in CHECKS if name in found)


def _judged(
    finding: Finding, program: Program, patched: Program, options: Options, proposed: Proposal
) -> dict[str, tuple[Verdict, str]]:
    old, new = _findings(finding, program, program, options, proposed.edits), _findings(
        finding, program, patched, options, proposed.edits
    )
    is_gone = new[key_of(finding)] < old[key_of(finding)]
    added = sorted((new - old).elements())
    name = finding.resource.rpartition(".")[2]
    is_dangling = proposed.title.startswith("Remove `") and _is_named(patched, finding, name)
    assumed = proposed.assumption
    return {
        "finding is gone": (PROVED, "no detector reports it") if is_gone else (REFUTED, STILL_REPORTED),
        "no new finding": (REFUTED, f"then `{added[0][3]}` would be reported") if added else (PROVED, "none"),
        "no use after release": (ASSUMED, f"that {assumed}") if assumed else (PROVED, "nothing reads what is let go of"),
        "name in scope": (REFUTED, f"`{name}` is still named") if is_dangling else (PROVED, "all names are known"),
        "no new unhandled exception": (PROVED, "the calls that are added throw nothing that is checked"),
        "idempotent": (PROVED, "the patched text needs no further fix") if is_gone else (REFUTED, "it would be fixed again"),
    }


def _findings(
    finding: Finding, program: Program, subject: Program, options: Options, edits: Sequence[Edit]
) -> Counter[tuple[str, str, str, str]]:
    """What the detectors say of the procedures that the edits touch, and of the one that the finding is told of."""
    there = set(subject.procedures_of(finding.path))
    keys = dict.fromkeys((ProcedureKey(finding.path, finding.procedure), *changed_procedures(program, finding.path, edits)))
    found = analyze(subject, [key for key in keys if key in there], options.detectors).findings
    return Counter(key_of(each) for each in found)


def _is_named(patched: Program, finding: Finding, name: str) -> bool:
    """Whether code of the file still names what was removed."""
    for key in patched.procedures_of(finding.path):
        body = patched.procedure(key)
        owner = finding.resource.rpartition(".")[0]
        for node in body.nodes if body is not None and body.owner.startswith(owner) else ():
            if isinstance(node, Load | Store) and node.field.rpartition(".")[2] == name:
                return True
    return False


def _comments(before: Tree, after: Tree) -> tuple[Verdict, str]:
    lost = _texts(before) - _texts(after)
    return (ASSUMED, "a comment on what the fix takes out goes with it") if lost else (PROVED, "all of them")


def _texts(each: Tree) -> Counter[str]:
    return Counter(" ".join(each.text(node).split()) for node in walk(each.root) if node.kind in COMMENTS)
