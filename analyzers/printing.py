"""IR as text: `print_unit`, `print_procedure`; `parse_procedure` reads it back (and text written by hand).

One line per node, `label: instruction -> successors !> handlers @start..end`. By hand, a label may be any word
or missing, `entry`, `exit` and `raise` exist by themselves, a node without `->` goes on to the next one, and
without `@` it gets bytes of its own.
"""

from __future__ import annotations

from analyzers import ir
from analyzers.reading import parse_procedure

__all__ = ["instruction_text", "parse_procedure", "print_procedure", "print_unit"]


def print_unit(unit: ir.Unit) -> str:
    """A unit as stable text."""
    lines = [f"unit {unit.language}"]
    if unit.package:
        lines.append(f"package {unit.package}")
    lines += [f"import {name}" for name in unit.imports]
    lines += [line for each in unit.types for line in _type_lines(each)]
    lines += [f"global {_field_text(each)}" for each in unit.globals]
    lines += [f"prototype {_method_text(each)}" for each in unit.prototypes]
    for macro in unit.macros:
        formals = "" if macro.parameters is None else f"({', '.join(macro.parameters)})"
        lines.append(f"macro {macro.name}{formals} = {_flat(macro.body)}")
    lines += [f"note {each.kind} {each.start}..{each.end} {each.text}" for each in unit.notes]
    lines.append(f"mentions {' '.join(unit.mentions)}")
    return "\n".join(lines) + "\n" + "".join("\n" + print_procedure(each) for each in unit.procedures)


def _type_lines(declared: ir.TypeDeclaration) -> list[str]:
    formals = f"<{', '.join(declared.type_parameters)}>" if declared.type_parameters else ""
    above = f" : {', '.join(declared.supertypes)}" if declared.supertypes else ""
    head = f"{declared.kind} {declared.name}{formals}{above}{_attribute_text(declared.attributes)}"
    lines = [f"{head} @{declared.start}..{declared.end}"]
    lines += [f"  field {_field_text(each)}" for each in declared.fields]
    lines += [f"  method {_method_text(each)}" for each in declared.methods]
    return lines


def _field_text(field: ir.FieldDeclaration) -> str:
    return f"{field.name}: {_flat(field.type)}{_attribute_text(field.attributes)} @{field.start}..{field.end}"


def _method_text(method: ir.MethodDeclaration) -> str:
    formals = ", ".join(
        _flat(written) + _attribute_text(attributes)
        for written, attributes in zip(method.parameters, method.parameter_attributes, strict=True)
    )
    dots = "..." if method.is_varargs else ""
    throws = f" throws {', '.join(method.throws)}" if method.throws else ""
    body = f" = {method.procedure}" if method.procedure else ""
    head = f"{method.name}({formals}{dots}): {_flat(method.result)}"
    return f"{head}{throws}{_attribute_text(method.attributes)}{body}"


def _attribute_text(attributes: tuple[str, ...]) -> str:
    return f" [{'; '.join(_flat(each) for each in attributes)}]" if attributes else ""


def print_procedure(procedure: ir.Procedure) -> str:
    """A procedure as stable text."""
    head = f"{procedure.kind} {procedure.name} ({', '.join(procedure.parameters)})"
    lines = [f"{head} @{procedure.start}..{procedure.end} body {procedure.header_end}"]
    for key, value in (
        ("owner", procedure.owner),
        ("result", _flat(procedure.result)),
        ("formals", ", ".join(_flat(each) for each in procedure.type_parameters)),
        ("throws", ", ".join(procedure.throws)),
        ("attributes", "; ".join(_flat(each) for each in procedure.attributes)),
    ):
        if value:
            lines.append(f"  {key} {value}")
    if procedure.error is not None:
        lines.append(f"  error {procedure.error[0]}..{procedure.error[1]}")
    lines += [_variable_text(each) for each in procedure.variables if each.kind != "temporary"]
    lines += [f"  loop {each.header} @{each.start}..{each.end}" for each in procedure.loops]
    for number, node in enumerate(procedure.nodes):
        lines.append(_node_text(procedure, number, node))
    return "\n".join(lines) + "\n"


def _variable_text(variable: ir.Variable) -> str:
    parts = [
        f"  var {variable.name}",
        _flat(variable.type),
        variable.kind,
        f"{variable.start}..{variable.end}",
        str(variable.declared),
    ]
    attributes = [_flat(each) for each in variable.attributes]
    if variable.is_address_taken:
        attributes.append("&")
    if attributes:
        parts.append("; ".join(attributes))
    return " | ".join(parts)


def _node_text(procedure: ir.Procedure, number: int, node: ir.Instruction) -> str:
    text = f"  {number}: {instruction_text(node) if number != ir.RAISE else 'raise'}"
    if procedure.next[number]:
        text += " -> " + ", ".join(map(str, procedure.next[number]))
    if procedure.raises[number]:
        text += " !> " + ", ".join(map(str, procedure.raises[number]))
    return f"{text} @{node.start}..{node.end}"


def instruction_text(node: ir.Instruction) -> str:
    """One instruction, without its edges and bytes."""
    match node:
        case ir.Entry():
            return "entry"
        case ir.Exit():
            return "exit"
        case ir.Alloc(dst=dst, type=made):
            return f"{dst} = alloc {_flat(made)}"
        case ir.Copy(dst=dst, src=src):
            return f"{dst} = {_flat(src)}"
        case ir.Op(dst=dst, operator=operator, operands=operands, type=written):
            typed = f" : {_flat(written)}" if written else ""
            return f"{dst} = op {operator} {_list(operands)}{typed}"
        case ir.Load(dst=dst, base=base, field=field):
            return f"{dst} = load {_flat(base)}.{field}"
        case ir.Store(base=base, field=field, src=src):
            return f"store {_flat(base)}.{field} = {_flat(src)}"
        case ir.LoadElement(dst=dst, base=base, index=index):
            return f"{dst} = load {_flat(base)}[{_flat(index)}]"
        case ir.StoreElement(base=base, index=index, src=src):
            return f"store {_flat(base)}[{_flat(index)}] = {_flat(src)}"
        case ir.AddressOf(dst=dst, base=base, field=field):
            return f"{dst} = & {base}.{field}" if field or not base else f"{dst} = & {base}"
        case ir.Call():
            return _call_text(node)
        case ir.Return(src=src):
            return f"return {_flat(src)}".rstrip()
        case ir.Throw(src=src, type=written):
            return f"throw {_flat(src)}" + (f" : {_flat(written)}" if written else "")
        case ir.Catch(dst=dst, types=types):
            return f"{dst} = catch {_list(types)}"
        case ir.Branch(operator="*"):
            return "if *"
        case ir.Branch(operator="true", left=left):
            return f"if {_flat(left)}"
        case ir.Branch(operator=operator, left=left, right=right):
            return f"if {_flat(left)} {operator} {_flat(right)}"
        case ir.ScopeEnd(variables=variables):
            return f"end {_list(variables)}".rstrip()
        case ir.Havoc(variables=variables, reason=reason):
            return f"havoc {_list(variables)} : {_flat(reason)}"


def _call_text(call: ir.Call) -> str:
    result = f"{call.dst} = " if call.dst else ""
    qualifier = f"{_flat(call.qualifier)}::" if call.qualifier else ""
    receiver = f" on {_flat(call.receiver)}" if call.receiver else ""
    return f"{result}{call.kind} {qualifier}{call.name}({_list(call.args)}){receiver}"


def _list(operands: tuple[str, ...]) -> str:
    return ", ".join(_flat(each) for each in operands)


def _flat(text: str) -> str:
    """Text on one line."""
    return " ".join(text.split()) if "\n" in text or "\t" in text or "\r" in text else text
