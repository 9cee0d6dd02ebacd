# SPDX-License-Identifier: GPL-3.0-or-later
# Copyright 2026 the gr-cldsp authors.

"""Reads, checks and writes flowgraphs with GNU Radio Companion's own library.

A flowgraph is handled as the nested data of its file, so that whatever the Companion here does
not know (blocks of other modules, parameters of other versions) is written as it was read. The
library's objects, made from that data, evaluate and check it.
"""

import collections
import contextlib
import io
import logging
import os
import pathlib
import sys
import tempfile
import types

FIR = "cldsp_freq_xlating_fir_filter_xxx"
FFT = "cldsp_freq_xlating_fft_filter_xxx"
BANK = "cldsp_freq_xlating_filter_bank_xxx"
TUNER = "cldsp_channel_tuner"


MAX_DEPTH = 100  # of the lists and mappings of a file
#: How many letters and values a file may have for each of its own letters. Without aliases it has
#: about one.
MAX_GROWTH = 10


class Failure(Exception):
    """The conversion cannot be done; the text says why in a line."""


def search_beside(path):
    """Lets the flowgraph's imports find the modules that the generated program would find: first
    those in the folder of the file, and after all others those of hierarchical blocks. The modules
    of this program cannot be imported any more."""
    here = str(pathlib.Path(__file__).resolve().parent)
    sys.path[:] = [p for p in sys.path if not p or os.path.realpath(p) != here]
    for name, module in list(sys.modules.items()):
        file = getattr(module, "__file__", None)
        if file and name != "__main__" and os.path.dirname(os.path.realpath(file)) == here:
            del sys.modules[name]
    sys.path.insert(0, str(pathlib.Path(path).resolve().parent))
    sys.path.append(os.environ.get("GRC_HIER_PATH", os.path.expanduser("~/.grc_gnuradio")))


def check_growth(path):
    """Fails where aliases, each of which stands for all that its anchor has, make a small file of
    YAML endless, and where it is nested too deeply. It reads only the words of the file."""
    import yaml  # missing where GNU Radio is, too, which is reported before

    with open(path, encoding="utf-8") as file:
        text = file.read()
    if "<flow_graph>" in text[:100]:
        return
    most = MAX_GROWTH * len(text) + 1000
    sizes = {}  # of the anchors
    nested = [[None, 0]]  # the anchor of each open list or mapping, and the number of its values
    for event in yaml.parse(text, Loader=yaml.SafeLoader):
        anchor = getattr(event, "anchor", None)
        if isinstance(event, yaml.CollectionStartEvent):
            nested.append([anchor, 1])
            if len(nested) > MAX_DEPTH:
                raise Failure("it is nested too deeply")
            continue
        size = 0
        if isinstance(event, yaml.AliasEvent):
            # An anchor that is not complete is a part of itself.
            size = sizes.get(anchor, most + 1)
            anchor = None
        elif isinstance(event, yaml.ScalarEvent):
            size = 1 + len(event.value)
        elif isinstance(event, yaml.CollectionEndEvent):
            anchor, size = nested.pop()
        if anchor is not None:
            sizes[anchor] = size
        nested[-1][1] += size
        if nested[-1][1] > most:
            raise Failure("its aliases stand for more than a flowgraph can have, or for "
                          "themselves")


def own_block_folder():
    """The folder of this module's block descriptions, beside the installed script or in the
    build folder."""
    here = pathlib.Path(__file__).resolve().parent
    for folder in (here.parents[1] / "gnuradio" / "grc" / "blocks", here.parents[1] / "grc"):
        if (folder / f"{BANK}.block.yml").is_file():
            return folder
    return None


def one_line(text):
    return " ".join(str(text).split())


@contextlib.contextmanager
def quiet():
    """Discards the texts that the library and the flowgraph's own code print, which would
    otherwise get into the report. The library prints a traceback for each connection that it
    leaves out."""
    with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()):
        yield


def check_shape(data, what):
    """Fails unless the nested data of a file is a flowgraph's; what is the failure's first
    words. The Companion itself fails with an error of Python, or only when the file is shown."""
    blocks = data.get("blocks") if isinstance(data, dict) else None
    if not isinstance(blocks, list) or not isinstance(data.get("options"), dict):
        raise Failure(f"{what}, with options and blocks")
    check_block(data["options"], (), f"{what}: the options block")
    for block in blocks:
        check_block(block, ("name", "id"), f"{what}: a block")
    connections = data.get("connections") or []
    if not isinstance(connections, list):
        raise Failure(f"{what}: the connections are no list")
    if not all(isinstance(c, (list, tuple)) and len(c) == 4 for c in connections):
        raise Failure(f"{what}: a connection is not a list of four names")
    if not isinstance(data.get("metadata"), dict) or \
            not isinstance(data["metadata"].get("file_format"), int):
        raise Failure(f"{what}, with metadata: file_format")


def check_block(block, texts, what):
    """Fails unless a block of the data has these texts, parameters and states, and is placed by
    two numbers, if at all."""
    for keys, kind, word in ((texts, str, "text"), (("parameters", "states"), dict, "mapping")):
        for key in keys:
            if not isinstance(block, dict) or not isinstance(block.get(key), kind):
                raise Failure(f"{what} lacks the {word} '{key}'")
    place = block["states"].get("coordinate", (0, 0))
    if not isinstance(place, (list, tuple)) or len(place) != 2 or \
            not all(isinstance(number, (int, float)) for number in place):
        raise Failure(f"{what} has a coordinate that is not a list of two numbers")


class Companion:
    """GNU Radio Companion's library, with the descriptions of all blocks."""

    def __init__(self):
        try:
            with quiet():  # its logs then write to the discarded output
                from gnuradio import gr
                from gnuradio.grc.core.platform import Platform
        except ImportError as error:
            raise Failure("convert needs GNU Radio with its Companion for "
                          f"{sys.executable}: {one_line(error)}") from error
        # The library logs each expression that it cannot evaluate. The report lists these
        # expressions as errors of the flowgraph.
        logging.getLogger("gnuradio.grc").setLevel(logging.CRITICAL)
        logging.getLogger("gnuradio.grc").addHandler(logging.NullHandler())
        self.platform = Platform(
            name="cldsp convert", prefs=gr.prefs(), version=gr.version(),
            version_parts=(gr.major_version(), gr.api_version(), gr.minor_version()))
        paths = self.platform.config.block_paths
        #: the folder that GNU Radio Companion does not search by itself
        self.extra_folder = None
        known = [p for p in paths if os.path.isfile(os.path.join(p, f"{BANK}.block.yml"))]
        own_folder = own_block_folder()
        if not known:
            if own_folder is None:
                raise Failure("GNU Radio Companion does not know the blocks of gr-cldsp; "
                              "GRC_BLOCKS_PATH has to name the folder of their .block.yml files")
            self.extra_folder = str(own_folder)
        # Another version of gr-cldsp may be installed. Of two descriptions of a block the last
        # one counts.
        if own_folder is not None and not (known and own_folder.samefile(known[-1])):
            paths = paths + [str(path) for path in sorted(own_folder.glob("cldsp_*.block.yml"))]
        try:
            with quiet():
                self.platform.build_library(path=paths)
        except (OSError, RuntimeError) as error:
            raise Failure("GNU Radio Companion's blocks cannot be loaded: "
                          f"{one_line(error)}") from error

    def read(self, path):
        """The nested data of a file; that of a file in XML, of GNU Radio 3.7, is converted."""
        what = f"parameter 'FLOWGRAPH' is '{path}', but must be a flowgraph of GNU Radio Companion"
        try:
            with quiet():
                check_growth(path)
                data = self.platform.parse_flow_graph(str(path))
        except OSError as error:
            raise Failure(f"cannot read {path}: {error.strerror or one_line(error)}") from error
        except Exception as error:  # whatever a damaged file makes the readers throw
            raise Failure(f"{what}: {one_line(error)[:200] or type(error).__name__}") from error
        check_shape(data, what)
        data["metadata"].setdefault("grc_version", self.platform.config.version)
        data["connections"] = [[str(part) for part in c] for c in data.get("connections") or []]
        try:
            return ordered(data)
        except RecursionError as error:
            raise Failure(f"{what}: it is nested too deeply") from error

    def load(self, data, path):
        """The library's flowgraph of the data, evaluated and checked."""
        flow_graph = self.platform.make_flow_graph()
        flow_graph.grc_file_path = str(path)
        with quiet():
            try:
                flow_graph.import_data(data)
                flow_graph.rewrite()
                flow_graph.validate()
            except Exception as error:
                raise Failure(f"GNU Radio Companion cannot load {path}: "
                              f"{one_line(error)[:200] or type(error).__name__}") from error
        return flow_graph

    def write(self, data, path):
        """Replaces a file atomically: after a failure the old file is unchanged."""
        target = os.path.realpath(path)
        temporary = None
        try:
            with tempfile.NamedTemporaryFile(dir=os.path.dirname(target), suffix=".grc",
                                             delete=False) as file:
                temporary = file.name
            mask = os.umask(0)
            os.umask(mask)
            os.chmod(temporary, os.stat(target).st_mode & 0o7777 if os.path.exists(target)
                     else 0o666 & ~mask)
            self.platform.save_flow_graph(
                temporary, types.SimpleNamespace(export_data=lambda: ordered(data)))
            os.replace(temporary, target)
        except OSError as error:
            if temporary:
                with contextlib.suppress(OSError):
                    os.unlink(temporary)
            raise Failure(f"cannot write {path}: {error.strerror}") from error


def ordered(value):
    """A copy whose keys are written in their order."""
    if isinstance(value, dict):
        return collections.OrderedDict((key, ordered(v)) for key, v in value.items())
    if isinstance(value, (list, tuple)):
        return [ordered(v) for v in value]
    return value


def errors(element):
    """The errors that the Companion finds in a flowgraph or a block, one line each."""
    return [f"{one_line(where)}: {one_line(text)}" if where is not element else one_line(text)
            for where, text in element.iter_error_messages()]


def is_on(block):
    """Whether a block is not disabled in the file. The Companion's own flag is not used, because
    it treats unknown blocks as disabled."""
    return block.state != "disabled"


def connections_of(port):
    """The connections of a port to blocks that are not disabled."""
    return [c for c in port.connections() if is_on(c.source_block) and is_on(c.sink_block)]


def block_named(flow_graph, name):
    return next((b for b in flow_graph.blocks if b.name == name), None)
