"""What the instructions of a procedure read of the scalars that may be worth tracking.

May name more than is tracked; misses what lies in the fields of what is read.
"""

from __future__ import annotations

from collections.abc import Mapping

from analyzers import ir
from analyzers.handles.asked import failed
from analyzers.handles.c.repeated_questions import flag_of
from analyzers.handles.scene import Scene
from analyzers.summaries import AccessPath


def read(scene: Scene, tested: Mapping[tuple[int, str], AccessPath], node: int, instruction: ir.Instruction) -> list[AccessPath]:
    """The subjects that an instruction reads; `tested` says what an operand of a node stands for."""
    match instruction:
        case ir.Branch(operator="instanceof", left=left, right=right):
            return [(left,), (left, f"?{right}")]
        case ir.Branch(left=left, right=right):
            others = [(each,) for each in (failed(scene, left), flag_of(scene, instruction)) if each]
            return [*(tested.get((node, operand), (operand,)) for operand in (left, right)), *others]
        case ir.Store(base=base, src=src) | ir.StoreElement(base=base, src=src):
            return [(src,), (base,)]
        case ir.Copy(src=src) | ir.Return(src=src):
            return [(src,)]
        case ir.Op(operands=operands):
            return [tested.get((node, operand), (operand,)) for operand in operands]
        case ir.Load(base=base, field=field):
            return [scene.normalise((base, field) if base else (f"::{field}",))]
        case ir.Call(args=args):
            return [(argument,) for argument in args]
        case _:
            return []
