# SPDX-License-Identifier: GPL-3.0-or-later
# Copyright 2026 the gr-cldsp authors.

"""Names the argument of a wrong type in a line, where pybind11 would print all that was given.

A call is wrapped, and costs nothing more unless pybind11 refuses it: then its text, which has the
signature, is read and compared with what was given.
"""

import difflib
import functools
import inspect
import operator
import re

_REFUSED = re.compile(r"^\S+: incompatible (?:constructor|function) arguments\..*?\n"
                      r"    1\. (?P<signature>.*?)(?:\n    2\. |\n\nInvoked with: )", re.DOTALL)
# What newer releases of pybind11 call the types, and older ones.
_OLD_NAMES = ((r"\b(?:typing|collections\.abc)\.", ""), (r"\b(?:list|Sequence)\[", "List["),
              (r"\bSupportsFloat( \| SupportsIndex)?\b", "float"),
              (r"\bSupportsInt\b|\bSupportsIndex\b", "int"))
_WORDS = {"int": "a whole number", "float": "a number", "complex": "a number", "str": "a text",
          "bool": "True or False", "sequence": "a list"}
_MAX_SHOWN = 60  # characters of a value


def _parted(text, separator=","):
    """The parts of a text between the separators that are in no brackets and quotes."""
    parts, depth, quote = [""], 0, None
    for character in text:
        if quote or character in "'\"":
            quote = None if character == quote else quote or character
        depth += (character in "([{<") - (character in ")]}>")
        if character == separator and not depth and not quote:
            parts.append("")
        else:
            parts[-1] += character
    return [part.strip() for part in parts if part.strip()]


def _alternatives(kind):
    """The types that a type joins."""
    return _parted(kind[len("Union["):-1]) if kind.startswith("Union[") else _parted(kind, "|")


def _item(kind):
    """The type of the items of a list; None: the type is no list of a type."""
    return kind[len("List["):-1] if kind.startswith("List[") else None


def _words(kind):
    kinds = _alternatives(kind)
    if len(kinds) > 1:
        return ", or ".join(dict.fromkeys(map(_words, kinds)))
    if _item(kind):
        return f"a list of {_words(_item(kind)).removeprefix('a ')}s"
    return _WORDS.get(kind, "a " + kind.rpartition(".")[2])


def _is_list(value):
    return hasattr(value, "__len__") and hasattr(value, "__getitem__") and \
        not isinstance(value, (str, bytes, dict))


def _whole(value):
    return operator.index(int(value) if isinstance(value, float) and value.is_integer() else value)


def _is(kind, value):
    """Whether a value is of a type, as far as that is known."""
    kinds = _alternatives(kind)
    if len(kinds) > 1:
        return any(_is(each, value) for each in kinds)
    if kind == "sequence" or _item(kind):
        return _is_list(value) and (not _item(kind) or
                                    all(_is(_item(kind), each) for each in value))
    if kind == "str":
        return isinstance(value, (str, bytes))
    if kind == "bool":
        return value is None or hasattr(type(value), "__bool__")
    if "_python." in kind:  # one of GNU Radio's
        return kind.rpartition(".")[2] in [each.__name__ for each in type(value).__mro__]
    convert = {"int": _whole, "float": float, "complex": complex}.get(kind)
    if not convert:
        return True
    try:
        convert(value)
    except (TypeError, ValueError, OverflowError):
        return False
    return not isinstance(value, (str, bytes))


def _short(value):
    if _is_list(value) and len(value) > 4:
        return f"a list of {len(value)}"
    try:
        text = repr(value).replace("\n", " ")
    except Exception:  # such as an integer of thousands of digits
        return f"of type {type(value).__name__}"
    return text if len(text) <= _MAX_SHOWN else text[:_MAX_SHOWN - 2] + ".."


def _wrong(name, kind, value):
    """A sentence about a value that is not of a type."""
    if _item(kind) and _is_list(value):
        index, value = next((i, each) for i, each in enumerate(value)
                            if not _is(_item(kind), each))
        return f"parameter '{name}' has {_short(value)} at [{index}], but must be {_words(kind)}"
    return f"parameter '{name}' is {_short(value)}, but must be {_words(kind)}"


def _told(caller, signature, given, named):
    """What is wrong with the arguments of a call, by the signature in pybind11's text."""
    inside = signature[signature.index("(") + 1:]
    depth = 1
    for end, character in enumerate(inside):
        depth += (character == "(") - (character == ")")
        if not depth:
            break
    parameters = {}
    for part in _parted(inside[:end]):
        name, _, kind = part.partition(": ")
        kind, default, _ = kind.partition(" = ")
        for pattern, old in _OLD_NAMES:
            kind = re.sub(pattern, old, kind)
        parameters[name] = kind, bool(default)
    if parameters.pop("self", None):
        given = given[1:]
    names = list(parameters)
    takes = f"{caller}() takes " + (", ".join(names) or "no arguments")
    if len(given) > len(names):
        return f"too many arguments, {len(given)}: {takes}"
    for name in named:
        if name not in parameters:
            near = difflib.get_close_matches(name, names, 1)
            return f"there is no parameter '{name}': " + (
                f"did you mean '{near[0]}'?" if near else takes)
        if name in names[:len(given)]:
            return f"parameter '{name}' is given twice"
    values = dict(zip(names, given), **named)
    for name, (kind, has_default) in parameters.items():
        if name in values and not _is(kind, values[name]):
            return _wrong(name, kind, values[name])
        if name not in values and not has_default:
            return f"parameter '{name}' is missing: {takes}"
    return f"an argument is of a wrong type: {takes}"


def _telling(function, caller):
    """A function that calls another one, and tells in a line which argument is wrong."""
    @functools.wraps(function)
    def call(*given, **named):
        try:
            return function(*given, **named)
        except TypeError as error:
            refused = _REFUSED.match(str(error))
            if not refused:
                raise
            if caller == "__init__":
                sentence = _told(type(given[0]).__name__, refused["signature"], given[1:], named)
            else:
                sentence = _told(caller, refused["signature"], given, named)
        raise TypeError(sentence)
    return call


def add_to(names):
    """Makes the functions and the methods of the classes of a module tell which argument is
    wrong. The values of names are replaced where they are functions."""
    classes = {each for value in names.values() if inspect.isclass(value)
               for each in value.__mro__ if each.__module__.endswith("cldsp_python")}
    for each in classes:
        for name, value in list(vars(each).items()):
            # A property's getter takes nothing, and pybind11 answers the other special methods.
            if type(value).__name__ == "instancemethod" and \
                    (name == "__init__" or not name.startswith("__")):
                setattr(each, name, _telling(value, name))
    for name, value in list(names.items()):
        if inspect.isbuiltin(value):
            names[name] = _telling(value, name)
