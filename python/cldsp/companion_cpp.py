# SPDX-License-Identifier: GPL-3.0-or-later
# Copyright 2026 the gr-cldsp authors.

"""Writes the parameters of a block in GNU Radio Companion as expressions of C++.

The templates for C++ in grc/ call these functions with their parameters. An expression stays one
if it means the same in C++: numbers, variables of the flowgraph, arithmetic, lists of them, and
calls of firdes. So a variable still changes the block. Of any other expression the value is
written that it has when the program is generated.
"""

import ast
import json

_OPERATORS = {ast.Add: "+", ast.Sub: "-", ast.Mult: "*"}
_FIRDES = {"low_pass": float, "low_pass_2": float, "high_pass": float, "high_pass_2": float,
           "band_pass": float, "band_pass_2": float, "band_reject": float,
           "band_reject_2": float, "root_raised_cosine": float, "gaussian": float,
           "complex_band_pass": complex, "complex_band_pass_2": complex}
_TYPES = {"float": float, "gr_complex": complex}


class _Python(ValueError):
    """The expression has no counterpart in C++."""


def _variables(parameter):
    graph = parameter._param.parent_flowgraph
    return {block.name for block in graph.get_variables() + graph.get_parameters()}


def _parsed(parameter):
    try:
        return ast.parse(str(parameter), mode="eval").body
    except SyntaxError:
        raise _Python from None


def _number(node, variables):
    """A number as an expression."""
    if isinstance(node, ast.Constant) and type(node.value) in (int, float):
        return _literal(node.value)
    if isinstance(node, ast.Name) and node.id in variables:
        return node.id
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, (ast.USub, ast.UAdd)):
        return f"-({_number(node.operand, variables)})" if isinstance(node.op, ast.USub) else \
            _number(node.operand, variables)
    if isinstance(node, ast.BinOp):
        left, right = _number(node.left, variables), _number(node.right, variables)
        if isinstance(node.op, ast.Div):  # of whole numbers, C++ would drop the fraction
            return f"(static_cast<double>({left}) / {right})"
        if type(node.op) in _OPERATORS:
            return f"({left} {_OPERATORS[type(node.op)]} {right})"
    raise _Python


def _dotted(node):
    """The names of an attribute: ["filter", "firdes", "low_pass"]."""
    if isinstance(node, ast.Attribute):
        return _dotted(node.value) + [node.attr]
    if isinstance(node, ast.Name):
        return [node.id]
    raise _Python


def _firdes(node, variables, element):
    """A call of firdes as a call of the same function in C++."""
    if not isinstance(node, ast.Call) or node.keywords:
        raise _Python
    *module, function = _dotted(node.func)
    if module not in (["firdes"], ["filter", "firdes"]) or \
            _FIRDES.get(function) is not _TYPES.get(element):
        raise _Python

    def argument(node):
        if isinstance(node, ast.Attribute) and node.attr.startswith("WIN_"):
            return f"gr::fft::window::{node.attr}"
        return _number(node, variables)

    return f"gr::filter::firdes::{function}({', '.join(map(argument, node.args))})"


def _literal(value):
    if isinstance(value, complex) or getattr(value, "dtype", None) is not None and \
            value.dtype.kind == "c":
        return f"gr_complex({_literal(value.real)}, {_literal(value.imag)})"
    text = repr(value.item() if hasattr(value, "item") else value)
    if text in ("True", "False"):
        return str(int(text == "True"))
    # Whole numbers beyond int would be of another type on another machine.
    return text if abs(value) < 2 ** 31 or "." in text or "e" in text else text + ".0"


def _copied(name, element):
    """The elements of a vector of another type."""
    return f"std::vector<{element}>(std::begin({name}), std::end({name}))"


def _vector_of(node, variables, element):
    if isinstance(node, ast.Name) and node.id in variables:
        return _copied(node.id, element)
    if isinstance(node, (ast.List, ast.Tuple)):
        numbers = [_number(item, variables) for item in node.elts]
        return f"std::vector<{element}>{{ " + ", ".join(
            f"static_cast<{element}>({number})" for number in numbers) + " }"
    return _firdes(node, variables, element)


def _vector_of_values(values, element):
    return f"std::vector<{element}>{{ {', '.join(map(_literal, values))} }}"


def _or_values(parameter, translate, values):
    """What translate() makes of the expression, or else what values() makes of its value."""
    try:
        return translate(_parsed(parameter), _variables(parameter))
    except _Python:
        return values(parameter())


def _is_list(value):
    return hasattr(value, "__len__") and not isinstance(value, str)


def _in_vector(texts, element):
    return f"std::vector<std::vector<{element}>>{{ {', '.join(texts)} }}"


########################################################################
# For the templates
########################################################################

def tap(kind):
    """The C++ type of the taps of a filter or a bank of this kind, such as ccf or cu8_c."""
    return "gr_complex" if kind.endswith("c") else "float"


def number(parameter):
    return _or_values(parameter, _number, _literal)


def flag(parameter):
    return _or_values(parameter, _name, lambda value: "true" if value else "false")


def _name(node, variables):
    if isinstance(node, ast.Name) and node.id in variables:
        return node.id
    raise _Python


def text(parameter):
    """A text, or a variable that is one."""
    return _or_values(parameter, _name, json.dumps)


def vector(parameter, element):
    """A list of numbers. A single number is a list of one, as in Companion."""
    value = parameter()
    if not _is_list(value):
        return f"std::vector<{element}>{{ static_cast<{element}>({number(parameter)}) }}"
    return _or_values(parameter, lambda node, variables: _vector_of(node, variables, element),
                      lambda values: _vector_of_values(values, element))


def rows(parameter, element):
    """A list of lists of numbers. A list of numbers is a list of one such list."""
    value = parameter()
    if not str(parameter):  # nothing is entered, which the block's constructor tells
        return _in_vector([], element)
    if not _is_list(value[0]):
        return _in_vector([vector(parameter, element)], element)

    def translate(node, variables):
        if isinstance(node, ast.Name) and node.id in variables:
            # Companion replaces the names of variables; that of the function is none.
            return (f"[&](const auto& cldsp_rows) {{ std::vector<std::vector<{element}>> "
                    f"cldsp_copy; for (const auto& cldsp_row : cldsp_rows) cldsp_copy.emplace_back"
                    f"(cldsp_row.begin(), cldsp_row.end()); return cldsp_copy; }}({node.id})")
        if isinstance(node, (ast.List, ast.Tuple)):
            return _in_vector([_vector_of(row, variables, element) for row in node.elts], element)
        raise _Python

    return _or_values(parameter, translate,
                      lambda values: _in_vector([_vector_of_values(row, element)
                                                 for row in values], element))
