# SPDX-License-Identifier: GPL-3.0-or-later
# Copyright 2026 the gr-cldsp authors.

"""Finds filters that can share a bank without a change of the flowgraph's meaning, and puts the
bank in their place."""

import ast
import collections
import copy
import dataclasses
import io
import re
import tokenize
import typing

from companion import BANK, TUNER, connections_of, errors, is_on

FIR_IN_TREE = "freq_xlating_fir_filter_xxx"
#: Parameters that hold text for people, in which the name of a block means nothing.
TEXTS = {"comment", "title", "author", "description", "copyright", "label", "name", "id"}
#: Parameters of every block that a bank has only once.
SHARED = {"affinity": "core affinity", "minoutbuf": "minimum of the output buffer",
          "maxoutbuf": "maximum of the output buffer"}


@dataclasses.dataclass
class Channel:
    name: str
    comment: str
    decim: str
    taps: str
    center_freq: str
    decimation: int  # evaluated
    tuner: str = ""  # the name of the block that passes messages on to the bank


@dataclasses.dataclass
class Bank:
    name: str
    type: str
    samp_rate: str
    shared: typing.Dict[str, str]
    channels: typing.List[Channel]
    notes: typing.List[str] = dataclasses.field(default_factory=list)
    id: str = BANK


def find_banks(flow_graph, names):
    """Returns the banks, and for each filter that shares its source with others but is in no
    bank the reason."""
    by_source = collections.defaultdict(list)
    for name in names:
        block = next(b for b in flow_graph.blocks if b.name == name)
        source = source_of(block)
        if block.enabled and not block.get_bypassed() and source is not None:
            by_source[source].append(block)
    variables = plain_variables(flow_graph)
    banks, single = [], {}
    taken = {b.name for b in flow_graph.blocks}
    for blocks in by_source.values():
        if len(blocks) < 2:
            continue
        groups = collections.defaultdict(list)
        for block in blocks:
            reason = obstacle(flow_graph, block)
            if reason:
                single[block.name] = reason
            else:
                groups[group_key(block, variables)].append(block)
        largest = max(groups.values(), key=len, default=[])
        for members in groups.values():
            if len(members) < 2:
                single[members[0].name] = (difference(members[0], largest[0], variables)
                                           if len(largest) > 1 or len(groups) > 1
                                           else "no other filter of its source can join it")
                continue
            banks.append(make_bank(members, taken))
    return banks, single


def unused_name(block_id, taken):
    number = 0
    while f"{block_id}_{number}" in taken:
        number += 1
    taken.add(f"{block_id}_{number}")
    return f"{block_id}_{number}"


def make_bank(members, taken):
    channels = [Channel(
        name=block.name, comment=block.params["comment"].get_value(),
        decim=list_element(value_of(block, "decim")), taps=taps_of(block),
        center_freq=list_element(value_of(block, "center_freq")),
        decimation=block.params["decim"].get_evaluated(),
        tuner=unused_name(TUNER, taken) if list(block.sinks[1].connections()) else "")
        for block in members]
    bank = Bank(name=unused_name(BANK, taken), type=value_of(members[0], "type"),
                samp_rate=value_of(members[0], "samp_rate"),
                shared={key: value_of(members[0], key) for key in SHARED}, channels=channels)
    if len({c.decimation for c in channels}) > 1:
        bank.notes.append("the channels have different rates, so the first output of each has "
                          "a tag rx_rate")
    bank.notes += [f"{c.tuner} passes the messages for {c.name} on to channel {index}"
                   for index, c in enumerate(channels) if c.tuner]
    return bank


def value_of(block, key):
    return block.params[key].get_value().strip()


def list_element(text):
    """The text of an expression as it can stand in a list."""
    tree = parsed(text)
    if isinstance(tree, (ast.Tuple, ast.Lambda, ast.IfExp, ast.NamedExpr)) or "\n" in text:
        return f"({text})"
    return text


def taps_of(block):
    """The expression of the taps. A single number, which GNU Radio Companion accepts as taps,
    becomes a list of one number."""
    param = block.params["taps"]
    text = list_element(value_of(block, "taps"))
    # The code of a vector is [...] around the value if the value is a number.
    return f"[{text}]" if param.to_code().strip() != value_of(block, "taps") else text


def parsed(text):
    """The syntax tree of an expression that can be copied into a list, or None."""
    try:
        tree = ast.parse(text, mode="eval").body
        tokens = list(tokenize.generate_tokens(io.StringIO(text).readline))
    except (SyntaxError, ValueError, tokenize.TokenError, MemoryError, RecursionError):
        return None
    if any(token.type == tokenize.COMMENT for token in tokens):
        return None
    return tree


def source_of(block):
    """The port that feeds the filter, through virtual sinks and sources; None if there is not
    exactly one."""
    found = set()
    for connection in connections_of(block.sinks[0]):
        try:
            found.update(connection.source_port.resolve_virtual_source())
        except Exception:  # a loop of virtual sources
            return None
    return found.pop() if len(found) == 1 else None


def obstacle(flow_graph, block):
    """Why a filter cannot be a channel of any bank; empty if it can."""
    if block.key != FIR_IN_TREE:
        return ("its output lacks the constant phase of an FIR filter's, which a bank's channels "
                "have")
    # Errors of ports do not count: a port seems unconnected if the block at its other end is
    # not installed here.
    found = [text for param in block.params.values() for text in errors(param)]
    if found:
        return f"it is not valid: {found[0]}"
    if block.bus_source or block.bus_sink:
        return "its ports are a bus"
    if value_of(block, "alias"):
        return f"it has the alias '{value_of(block, 'alias')}'"
    for key in ("decim", "taps", "center_freq", "samp_rate"):
        if parsed(value_of(block, key)) is None:
            return (f"its parameter '{key}' is '{value_of(block, key)[:60]}', which cannot be an "
                    "element of a list")
    other = mention(flow_graph, block.name)
    if other:
        return f"{other} refers to it by its name"
    ports = readers(block.sources[0])
    if not any(port.parent_block.key != "virtual_sink" for port in ports):
        return "its output is not connected"
    head = ending_block(block)
    if head:
        return f"{head} behind it ends, which would end the whole bank"
    return ""


def mention(flow_graph, name):
    """Another block of which a parameter has the name as a word."""
    for block in flow_graph.blocks:
        if block.name == name:
            continue
        for key, param in block.params.items():
            if key not in TEXTS and mentions(param, name):
                return block.name if block.key != "options" else "the options block"
    return None


def mentions(param, name):
    text = str(param.value)
    if not re.search(rf"\b{re.escape(name)}\b", text):
        return False
    if param.dtype not in ("string", "file_open", "file_save", "dir_select"):
        return True
    # A parameter of these types is an expression or, such as a file name, a literal text.
    tree = parsed(text.strip())
    return text.strip() == name or (param.to_code() == text and tree is not None and any(
        name in (getattr(node, "id", None), getattr(node, "attr", None))
        for node in ast.walk(tree)))


def readers(port):
    """The ports that are connected to a port, and those behind virtual sinks."""
    found, todo = [], [port]
    seen = set()
    while todo:
        port = todo.pop()
        for connection in connections_of(port):
            sink = connection.sink_port
            if sink in seen:
                continue
            seen.add(sink)
            found.append(sink)
            if sink.parent_block.key == "virtual_sink":
                stream = sink.parent_block.params["stream_id"].get_value()
                todo += [b.sources[0] for b in port.parent_flowgraph.blocks
                         if is_on(b) and b.key == "virtual_source" and
                         b.params["stream_id"].get_value() == stream]
    return found


def ending_block(block):
    """A block downstream that ends by itself after some items: a head."""
    todo, seen = [block], {block}
    while todo:
        for source in todo.pop().sources:
            if source.domain == "message":
                continue
            for port in readers(source):
                reader = port.parent_block
                if reader.key == "blocks_head" and not reader.get_bypassed():
                    return reader.name
                if reader not in seen:
                    seen.add(reader)
                    todo.append(reader)
    return None


def plain_variables(flow_graph):
    """The values of variables that nothing but a setter changes."""
    return {b.name: value_of(b, "value") for b in flow_graph.iter_enabled_blocks()
            if b.key == "variable"}


class Expansion(ast.NodeTransformer):
    """Replaces names of variables by their expressions."""

    def __init__(self, variables, inside=()):
        self.variables = variables
        self.inside = inside

    def visit_Name(self, node):
        if node.id not in self.variables or node.id in self.inside:
            return node
        tree = parsed(self.variables[node.id])
        if tree is None:
            return node
        return Expansion(self.variables, (*self.inside, node.id)).visit(tree)


def normal_form(text, variables):
    """Equal texts for expressions that have the same value at the start, whatever the parameters
    of the program are."""
    tree = Expansion(variables).visit(copy.deepcopy(parsed(text)))
    if not any(isinstance(node, (ast.Name, ast.Attribute, ast.Call)) for node in ast.walk(tree)):
        try:
            code = compile(ast.fix_missing_locations(ast.Expression(tree)), "expression", "eval")
            return repr(float(eval(code, {"__builtins__": {}})))
        except Exception:  # such as 1 / 0: compared as it stands
            pass
    return ast.dump(tree)


def group_key(block, variables):
    return (value_of(block, "type"), normal_form(value_of(block, "samp_rate"), variables),
            *(value_of(block, key) for key in SHARED))


def difference(block, other, variables):
    """Why two filters of one source cannot share a bank."""
    if value_of(block, "type") != value_of(other, "type"):
        return f"its type is {value_of(block, 'type')}, that of {other.name} is " \
               f"{value_of(other, 'type')}"
    a, b = value_of(block, "samp_rate"), value_of(other, "samp_rate")
    if normal_form(a, variables) != normal_form(b, variables):
        return f"its sample rate is {a}, that of {other.name} is {b}"
    for key, label in SHARED.items():
        a, b = value_of(block, key), value_of(other, key)
        if a != b:
            return f"its {label} is '{a}', that of {other.name} is '{b}'"
    return "no other filter of its source can join it"


def insert_bank(data, bank):
    """Puts the bank in the place of its first filter, and connects it."""
    channels = {channel.name: index for index, channel in enumerate(bank.channels)}
    blocks = data["blocks"]
    place = next(i for i, b in enumerate(blocks) if b["name"] in channels)
    states = [b["states"] for b in blocks if b["name"] in channels]
    top = min(states, key=lambda s: s.get("coordinate", [0, 0])[::-1])
    decims = [c.decim for c in bank.channels]
    taps = [c.taps for c in bank.channels]
    parameters = {
        "type": bank.type,
        "decim": decims[0] if len(set(decims)) == 1 else f"[{', '.join(decims)}]",
        "taps": taps[0] if len(set(taps)) == 1 else f"[{', '.join(taps)}]",
        "center_freqs": f"[{', '.join(c.center_freq for c in bank.channels)}]",
        "samp_rate": bank.samp_rate, "output_rate": "0", "max_channels": "0",
        "comment": comment_of(bank), **bank.shared}
    blocks[place:place] = [{"name": bank.name, "id": bank.id,
                            "parameters": dict(sorted(parameters.items())),
                            "states": copy.deepcopy(top)}]
    data["blocks"] = [tuner_of(bank, channels[b["name"]], b["states"])
                      if b["name"] in channels else b for b in blocks]
    data["blocks"] = [b for b in data["blocks"] if b]
    connections, inputs = [], []
    for source, out, sink, into in data["connections"]:
        if sink in channels and into != "0":  # a message
            # Old files number the message ports; the number of a filter's port is 1.
            connections.append([source, out, bank.channels[channels[sink]].tuner,
                                "0" if into.isdigit() else "freq"])
        elif sink in channels:
            inputs.append((source, out))
            if len(inputs) == 1:
                connections.append([source, out, bank.name, "0"])
        elif source in channels:
            connections.append([bank.name, str(channels[source]), sink, into])
        else:
            connections.append([source, out, sink, into])
    connections += [[c.tuner, "freq", bank.name, "freq"] for c in bank.channels if c.tuner]
    data["connections"] = connections
    remove_idle_virtual_sources(data, {source for source, _ in inputs})


def tuner_of(bank, index, states):
    """The block in the filter's place that passes messages on to the bank, if there are any."""
    if not bank.channels[index].tuner:
        return None
    return {"name": bank.channels[index].tuner, "id": TUNER,
            "parameters": {"channel": str(index)}, "states": copy.deepcopy(states)}


def remove_idle_virtual_sources(data, names):
    """Removes virtual sources that only fed filters of the bank, which is connected to one."""
    in_use = {source for source, *_ in data["connections"]}
    data["blocks"] = [b for b in data["blocks"]
                      if b["id"] != "virtual_source" or b["name"] not in names or
                      b["name"] in in_use]


def comment_of(bank):
    """The names of the filters, and their own comments."""
    lines = []
    for index, channel in enumerate(bank.channels):
        lines.append(f"channel {index}: {channel.name}")
        lines += channel.comment.splitlines()
    return "\n".join(lines)
