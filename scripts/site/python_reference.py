# SPDX-License-Identifier: GPL-3.0-or-later
# Copyright 2026 the gr-cldsp authors.

"""Writes the reference of the Python module gnuradio.cldsp from its docstrings.

Blocks that differ only in the types of their items share one entry, because their docstrings
and their methods are the same; the types of their arguments are joined. A page is a file in
reStructuredText, the directives of which Sphinx also finds by name.
"""

import inspect
import re

# The pages: file, title, introduction, and the names on the page: each a name, or the beginning
# of the names of a family with "*". A name belongs to the first entry that it fits, so that
# "..._volk_*" comes before "..._filter_*".
_FILTERS = ("The letters at the end of a name are explained below the names; "
            ":doc:`/docs/blocks` explains arguments, messages and tags at length.")
PAGES = [
    ("filters", "Filters", _FILTERS,
     ["freq_xlating_fir_filter_volk_*", "freq_xlating_fir_filter_*", "freq_xlating_fft_filter_*"]),
    ("banks", "Filter banks", _FILTERS, ["freq_xlating_filter_bank_*", "channel_tuner"]),
    ("matrices", "Matrices", "See also :doc:`/docs/matrices` and :doc:`/docs/gemm_1bit`.",
     ["multiply_matrix_*", "gemm_1bit_bi", "gemm_*", "gemm"]),
    ("correlators", "Correlators", "See also :doc:`/docs/correlator`.",
     ["correlator_*", "correlate"]),
    ("devices", "Devices and tuning", "See also :doc:`/docs/tuning`.",
     ["devices", "list_variants", "list_gemm_variants", "sample_types",
      "tune_probe", "inject_failure"]),
    ("recordings", "Recordings", "See also :doc:`/docs/channelize`.", ["recording"]),
]
# Functions whose results are the same on every machine, and are shown as tables.
TABLES = ("list_variants", "list_gemm_variants", "sample_types")


def _escaped(text):
    return re.sub(r"([\\*`|_])", r"\\\1", text)


class _Writer:
    """Turns a docstring into reStructuredText."""

    def __init__(self, functions, methods=()):
        self._functions = functions
        self._methods = methods

    def text(self, text):
        """Running text, in which the names of methods and functions become links."""
        parts = re.split(r"((?:\bcldsp\.)?\b[A-Za-z]\w*\(\))", text)
        for i in range(1, len(parts), 2):
            name = parts[i].removeprefix("cldsp.")[:-2]
            if name in self._methods:
                parts[i] = f":py:meth:`{name}`"
            elif name in self._functions:
                parts[i] = f":py:func:`{name}`"
            else:
                parts[i] = f"``{parts[i]}``"
            # Markup has to begin and end beside a space or punctuation.
            before, after = parts[i - 1][-1:], parts[i + 1][:1]
            parts[i] = "".join(["\\ " * before.isalnum(), parts[i], "\\ " * after.isalnum()])
        parts[::2] = [_escaped(part) for part in parts[::2]]
        return "".join(parts)

    def lines(self, doc):
        """The lines of a docstring."""
        result = []
        for paragraph in re.split(r"\n\s*\n", inspect.cleandoc(doc)):
            title, _, rest = paragraph.partition("\n")
            title = title.strip()
            if re.fullmatch(r"(Args|Returns|Raises|Message ports):", title):
                # cleandoc() ignores the indentation of the first line, hence the line break.
                result += self._section(title[:-1], inspect.cleandoc("\n" + rest))
            elif re.search(r"^\s", paragraph, re.MULTILINE):
                raise ValueError(f"an unknown section of a docstring: {paragraph!r}")
            else:
                result += [self.text(" ".join(paragraph.split("\n"))), ""]
        return result

    def _section(self, title, body):
        if title == "Returns":
            return [f":returns: {self.text(' '.join(body.split()))}", ""]
        result = [] if title != "Message ports" else [f"**{title}:**", ""]
        for entry in re.split(r"\n(?!\s)", body):
            name, colon, text = entry.partition(":")
            if not colon:
                raise ValueError(f"no name before a colon in the section {title}: {entry!r}")
            text = self.text(" ".join(text.split()))
            if title == "Args":
                result += [f":param {each.strip()}: {text}" for each in name.split(",")]
            elif title == "Raises":
                result.append(f":raises {name}: {text}")
            else:
                result.append(f"* ``{name}``: {text}")
        return result + [""]


def _split(arguments):
    """Splits at the commas outside of brackets and quotes."""
    parts, depth, quote = [""], 0, None
    for letter in arguments:
        if quote:
            quote = None if letter == quote else quote
        elif letter in "'\"":
            quote = letter
        elif letter in "[(<{":
            depth += 1
        elif letter in "])>}":
            depth -= 1
        if letter == "," and depth == 0 and not quote:
            parts.append("")
        else:
            parts[-1] += letter
    return [part.strip() for part in parts if part.strip()]


def _plain_types(text):
    text = re.sub(r"<(\w+\.)*(\w+): -?\d+>", r"gr.\2", text)
    text = re.sub(r"\bgnuradio\.gr\.gr_python\.", "gr.", text)
    text = re.sub(r"\b(?:typing\.)?(List|Dict|Tuple)\b", lambda found: found[1].lower(), text)
    text = re.sub(r"\b(?:typing\.)?Union\[((?:[^][]|\[[^][]*\])*)\]",
                  lambda found: " | ".join(_split(found[1])), text)
    return re.sub(r"1e-05\b", "1e-5", text)


def _signature_and_doc(name, function):
    """Arguments as a list of texts, the result's type, and the rest of the docstring."""
    function = inspect.unwrap(function)  # pybind11's own
    doc = function.__doc__ or ""
    if inspect.isfunction(function):
        arguments = _split(str(inspect.signature(function))[1:-1])
        if arguments[:1] == ["self"]:
            del arguments[0]
        return arguments, "", doc
    # pybind11 writes the signature into the first line.
    first, _, doc = doc.partition("\n")
    found = re.fullmatch(rf"{re.escape(name)}\((.*)\) -> (.*)", first)
    if not found:
        raise ValueError(f"{name} has no single signature in its docstring: {first!r}")
    arguments = [_plain_types(part) for part in _split(found[1]) if not part.startswith("self: ")]
    result = _plain_types(found[2])
    return arguments, "" if result == "None" else result, doc


def _join_types(types):
    return " | ".join(dict.fromkeys(types))


def _joined(name, functions):
    """The signature and the docstring of functions that differ only in types."""
    parsed = [_signature_and_doc(name, function) for function in functions]
    if len({doc for _, _, doc in parsed}) != 1 or len({len(args) for args, _, _ in parsed}) != 1:
        raise ValueError(f"{name} is not the same in all blocks of a family")
    arguments = []
    for variants in zip(*(arguments for arguments, _, _ in parsed)):
        parts = [re.fullmatch(r"([^=]*)((?:=.*)?)", each).groups() for each in variants]
        heads, defaults = zip(*parts)
        names, types = zip(*(head.partition(":")[::2] for head in heads))
        if len(set(names)) != 1 or len(set(defaults)) != 1:
            raise ValueError(f"the arguments of {name} are not the same in all blocks of a family")
        kind = _join_types(each.strip() for each in types)
        default = f" = {defaults[0][1:].strip()}" if defaults[0] and kind else defaults[0]
        arguments.append(names[0] + (f": {kind}" if kind else "") + default)
    result = _join_types(result for _, result, _ in parsed)
    return f"({', '.join(arguments)})" + (f" -> {result}" if result else ""), parsed[0][2]


def _indented(lines):
    return ["   " + line if line else "" for line in lines]


def _members(block):
    """The public members of a class, and of its bases that have the same module."""
    members = {}
    for each in block.__mro__:
        if each.__module__ == block.__module__:
            for name, value in vars(each).items():
                if not name.startswith("_"):
                    members.setdefault(name, value)
    return members


def _family(module, names, functions):
    """The entry of a family of blocks, or of one class."""
    classes = [getattr(module, name) for name in names]
    main = classes[-1]
    if len({each.__doc__ for each in classes}) != 1:
        raise ValueError(f"the docstrings of {', '.join(names)} differ")
    members = _members(main)
    writer = _Writer(functions, members)
    signature, constructor = _joined("__init__", [each.__init__ for each in classes])
    lines = [f".. py:class:: {names[0]}" + (signature if len(names) == 1 else "")]
    for name in names[1:]:
        lines.append(f"              {name}" + (signature if name == names[-1] else ""))
    body = ["", *writer.lines(main.__doc__), *writer.lines(constructor)]
    for name in members:
        values = [_members(each)[name] for each in classes]
        if isinstance(values[0], property):
            if len({value.__doc__ for value in values}) != 1:
                raise ValueError(f"the docstrings of {name} differ within a family")
            body += [f".. py:attribute:: {name}", ""]
            doc = values[0].__doc__
        else:
            signature, doc = _joined(name, values)
            body += [f".. py:method:: {name}{signature}", ""]
        if not (doc or "").strip():
            raise ValueError(f"{names[-1]}.{name} has no docstring")
        body += _indented(writer.lines(doc))
    return lines + _indented(body)


def _public_names(module):
    return {name for name, value in vars(module).items()
            if not name.startswith("_") and not inspect.ismodule(value)}


def _heading(title, line):
    return [title, line * len(title), ""]


def _table(rows):
    """A list of dicts as a table, with a column for each key."""
    lines = [".. list-table::", "   :header-rows: 1", ""]
    for row in [dict.fromkeys(rows[0]), *rows]:
        cells = [_escaped(key if value is None else str(value)) for key, value in row.items()]
        lines += [f"   {'*' if first else ' '} - {cell}"
                  for first, cell in zip([True] + [False] * len(cells), cells)]
    return lines + [""]


def write(module, folder):
    """Writes the pages of a module into a folder; every public name of it is on one page."""
    left = _public_names(module)
    functions = {name for name in left if not isinstance(getattr(module, name), type)}
    index = _heading("Python", "=") + [f".. py:module:: {module.__name__}", ""]
    # What follows lists the names, as the pages do.
    index += _Writer(functions).lines(module.__doc__.partition("\n\n")[0])
    index += [".. toctree::", ""]
    for file, title, introduction, patterns in PAGES:
        index.append(f"   {file}")
        lines = _heading(title, "=")
        lines += [introduction, "", f".. py:currentmodule:: {module.__name__}", ""]
        entries = []
        for pattern in patterns:
            start = pattern.removesuffix("*")
            # The most common types come last.
            names = sorted((name for name in left if name == start
                            or pattern != start and name.startswith(start)),
                           key=lambda name: (name.endswith(("_ccf", "_ff")), name))
            if not names:
                raise ValueError(f"the module has nothing that is called {pattern}")
            left -= set(names)
            entry = _heading(pattern, "-") if pattern == start else _heading(_escaped(pattern), "-")
            if names[0] in functions:
                signature, doc = _joined(names[0], [getattr(module, names[0])])
                entry += [f".. py:function:: {names[0]}{signature}", ""]
                entry += _indented(_Writer(functions).lines(doc))
                if names[0] in TABLES:
                    entry += _table(getattr(module, names[0])())
            else:
                entry += _family(module, names, functions)
            entries.append(entry)
        # Blocks that use VOLK alone, for comparison, come last.
        for entry in sorted(entries, key=lambda entry: "volk" in entry[0]):
            lines += entry
        (folder / f"{file}.rst").write_text("\n".join(lines) + "\n", encoding="utf-8")
    if left:
        raise ValueError(f"no page has {', '.join(sorted(left))}: see PAGES in {__file__}")
    index += ["", ":ref:`All names <genindex>`"]
    (folder / "index.rst").write_text("\n".join(index) + "\n", encoding="utf-8")
