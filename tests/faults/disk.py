"""disk.py: a trace of system calls as what a disk may hold after power was lost at any instant.

A file is there for good up to its last completed sync. A write after that may be there, be absent,
be torn, or have lengthened the file by zeros. Creating, renaming, removing and cutting are entries
of one journal: what stands before an entry that a completed sync of its folder covers is there for
good, and of the rest some prefix. In the model `ordered` a rename brings the data that the file
had; in the model `weak` it need not.
"""

import bisect
import dataclasses
import hashlib
import os
import posixpath
import urllib.parse

SECTOR = 512


@dataclasses.dataclass
class Change:
    """Of a file: a write of bytes at a place, or a cut to a length, which the journal holds too."""

    step: int
    at: int
    data: bytes = b""
    entry: int = -1  # >= 0: a cut


@dataclasses.dataclass
class Entry:
    """Of the journal."""

    step: int
    deed: str  # create, mkdir, rename, exchange, unlink, rmdir, cut
    path: str = ""
    to: str = ""
    node: int = -1
    folders: tuple = ()  # the nodes of the folders that it changes


def parse(text):
    """The calls of a trace: name, arguments, result, bytes."""
    calls, place = [], 0
    while place < len(text):
        end = text.index(b"\n", place)
        _, name, *arguments, result, length = text[place:end].decode().split(" ")
        place, data = end + 1, b""
        if int(length):
            data = text[place:place + int(length)]
            place += int(length) + 1
        calls.append((name, arguments, int(result), data))
    return calls


class Disk:
    """Everything that a traced program did to the files below one folder, step by step."""

    def __init__(self, trace, before=()):
        self.first = dict(before)  # path -> bytes or None, all of it there for good
        self.names = {}  # path -> node, as the program sees it
        self.nodes = []  # node -> content at the start; None for a folder
        self.changes = []  # node -> its Changes
        self.syncs = []  # node -> steps of its completed syncs
        self.journal = []
        self.floors = [(0, 0)]  # (step, so many entries are there for good from then on)
        self.steps = 0
        self._new_node(".", None)
        for path in sorted(self.first):
            self._new_node(path, self.first[path])
        self.start = dict(self.names)
        self._read(parse(trace))

    def _new_node(self, path, content):
        self.names[path] = len(self.nodes)
        self.nodes.append(content)
        self.changes.append([])
        self.syncs.append([])
        return self.names[path]

    def _enter(self, deed, path="", to="", node=-1):
        folders = {self.names[posixpath.dirname(p) or "."] for p in (path, to) if p}
        self.journal.append(Entry(self.steps, deed, path, to, node, tuple(folders)))

    def _read(self, calls):
        descriptors = {}
        for name, arguments, result, data in calls:
            if result < 0:
                continue
            self.steps += 1
            if name in ("open", "look", "opendir"):
                path, flags = urllib.parse.unquote(arguments[0]), int(arguments[1])
                if path not in self.names:
                    self._enter("create", path, node=len(self.nodes))
                    self._new_node(path, b"")
                elif flags & os.O_TRUNC:
                    self._cut(self.names[path], 0)
                descriptors[result] = self.names[path]
            elif name == "close":
                descriptors.pop(int(arguments[0]), None)
            elif name in ("write", "stream") and data:
                node = descriptors[int(arguments[0])]
                self.changes[node].append(Change(self.steps, int(arguments[1]), data))
            elif name == "cut":
                self._cut(descriptors[int(arguments[0])], int(arguments[1]))
            elif name == "sync":
                self._sync(descriptors[int(arguments[0])])
            elif name in ("mkdir", "unlink", "rmdir", "rename", "exchange"):
                self._name(name, *map(urllib.parse.unquote, arguments))

    def _cut(self, node, length):
        self.changes[node].append(Change(self.steps, length, entry=len(self.journal)))
        self.journal.append(Entry(self.steps, "cut", node=node))

    def _sync(self, node):
        if self.nodes[node] is not None:
            self.syncs[node].append(self.steps)
            return
        covered = [k for k, entry in enumerate(self.journal) if node in entry.folders]
        if covered and covered[-1] + 1 > self.floors[-1][1]:
            self.floors.append((self.steps, covered[-1] + 1))

    def _name(self, deed, path, to=""):
        if deed == "unlink" and path not in self.names:
            return  # a program that was to draw, started in vain, had opened its output
        node = len(self.nodes) if deed == "mkdir" else self.names[path]
        self._enter(deed, path, to, node)
        if deed == "mkdir":
            self._new_node(path, None)
        else:
            apply(self.names, self.journal[-1])

    def forget_syncs(self):
        """A disk that says it has synced a file and has not."""
        self.syncs = [[] for _ in self.syncs]

    # What may be found after a crash at the end of a step.

    def entries_at(self, step):
        return bisect.bisect_right(self.journal, step, key=lambda entry: entry.step)

    def floor_at(self, step):
        return self.floors[bisect.bisect_right(self.floors, step, key=lambda f: f[0]) - 1][1]

    def namespace(self, entries):
        """path -> node after so many entries of the journal."""
        names = dict(self.start)
        for entry in self.journal[:entries]:
            apply(names, entry)
        return names

    def synced_at(self, node, step):
        k = bisect.bisect_right(self.syncs[node], step)
        return self.syncs[node][k - 1] if k else 0

    def pending(self, step, entries, ordered):
        """The writes that are not there for good: [(node, Change)]."""
        names = self.namespace(entries)
        brought = {}  # node -> the step of a rename that brings its data along
        if ordered:
            for entry in self.journal[:entries]:
                if entry.deed in ("rename", "exchange"):
                    brought[entry.node] = entry.step
        found = []
        for path, node in names.items():
            if self.nodes[node] is None:
                continue
            safe = max(self.synced_at(node, step), brought.get(node, 0))
            found += [(node, change) for change in self.changes[node]
                      if safe < change.step <= step and change.entry < 0]
        return names, found

    def state(self, step, entries, ordered, choose):
        """{path: bytes or None} after a crash. `choose` is given a pending write and says how many
        of its bytes are there: all, some, 0, or -1 for a file lengthened by zeros."""
        names, waiting = self.pending(step, entries, ordered)
        lost = {id(change): choose(change) for _, change in waiting}
        tree = {}
        for path, node in names.items():
            if path == ".":
                continue
            if self.nodes[node] is None:
                tree[path] = None
                continue
            content, safe = bytearray(self.nodes[node]), self.synced_at(node, step)
            for change in self.changes[node]:
                if change.step > step:
                    break
                if change.entry < 0:
                    put(content, change, lost.get(id(change), len(change.data)))
                elif change.entry < entries or change.step <= safe:
                    cut(content, change.at)
            tree[path] = bytes(content)
        return tree

    def whole(self, step):
        """What the program itself saw after a step."""
        return self.state(step, self.entries_at(step), False, lambda change: len(change.data))


def apply(names, entry):
    if entry.deed in ("create", "mkdir"):
        names[entry.path] = entry.node
    elif entry.deed in ("unlink", "rmdir"):
        names.pop(entry.path, None)
    elif entry.deed in ("rename", "exchange"):
        moved, kept = below(names, entry.path), below(names, entry.to)
        for path in (*moved, *kept):
            del names[path]
        for path, node in moved.items():
            names[entry.to + path[len(entry.path):]] = node
        if entry.deed == "exchange":
            for path, node in kept.items():
                names[entry.path + path[len(entry.to):]] = node


def below(names, path):
    return {p: node for p, node in names.items() if p == path or p.startswith(path + "/")}


def put(content, change, there):
    if there < 0:
        if change.at + len(change.data) > len(content):
            content.extend(bytes(change.at + len(change.data) - len(content)))
    elif there:
        if change.at > len(content):
            content.extend(bytes(change.at - len(content)))
        content[change.at:change.at + there] = change.data[:there]


def cut(content, length):
    if length < len(content):
        del content[length:]
    else:
        content.extend(bytes(length - len(content)))


def hash_of(tree):
    digest = hashlib.sha256()
    for path in sorted(tree):
        content = tree[path]
        digest.update(f"{path}\0{-1 if content is None else len(content)}\0".encode())
        digest.update(content or b"")
    return digest.digest()
