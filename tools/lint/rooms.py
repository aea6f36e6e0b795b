#!/usr/bin/env -S python3 -B
# SPDX-License-Identifier: BSD-3-Clause
"""rooms.py ROOT: which folder of src/ includes which. tools/rooms.tbl says what is allowed.

rooms.py --edges ROOT prints which do, in the form of that table.
"""
import fnmatch
import os
import re
import sys
import tree

TABLE = "tools/rooms.tbl"
INCLUDE = re.compile(r'^\s*#\s*include\s+"([^"]+)"')


def read_rules(root, findings):
    """room -> patterns of rooms that it may include"""
    rules = {}
    for number, row in tree.rows(root, TABLE):
        room, colon, may = row.partition(":")
        if not colon or room.strip() in rules:
            findings.add(TABLE, number, "write 'room: rooms that it may include', one line for each room")
        elif not os.path.isdir(folder_of(root, room.strip())):
            findings.add(TABLE, number, f"remove the line: there is no room {room.strip()}")
        rules[room.strip()] = may.split()
    return rules


def folder_of(root, room):
    """include/weft is the one room outside src/."""
    return os.path.join(root, "include" if room == "weft" else "src", room)


def edges(root):
    """(file, line, room of the file, room of what it includes)"""
    for top in ("src", "include"):
        for path in tree.files(root, (top,), r".*\.(c|h|S)"):
            room = os.path.dirname(os.path.relpath(path, top))
            yield path, 1, room, room
            for number, line in enumerate(tree.read(root, path).splitlines(), 1):
                match = INCLUDE.match(line)
                if match:
                    yield path, number, room, os.path.dirname(match[1]) or room


def reach(graph, start):
    """All rooms to which includes lead from start."""
    seen, todo = set(), [start]
    while todo:
        new = graph.get(todo.pop(), {}).keys() - seen
        seen |= new
        todo += new
    return seen


def check_cycles(graph, findings):
    for room, targets in graph.items():
        for target, (path, number) in targets.items():
            if room in reach(graph, target):
                findings.add(path, number, f"break the cycle: {target} leads back to {room} by its own includes")


def print_edges(root):
    graph = {}
    for _, _, room, target in edges(root):
        graph.setdefault(room, set()).update({target} - {room})
    for room in sorted(graph):
        print(f"{room}: {' '.join(sorted(graph[room]))}".rstrip())


def main(root):
    findings = tree.Findings()
    rules = read_rules(root, findings)
    graph, unknown = {}, {}
    for path, number, room, target in edges(root):
        if room not in rules:
            unknown.setdefault(room, path)
        elif target != room:
            graph.setdefault(room, {}).setdefault(target, (path, number))
            if not any(fnmatch.fnmatchcase(target, pattern) for pattern in rules[room]):
                findings.add(path, number, f"{room} may not include {target} ({TABLE})")
    for room, path in unknown.items():
        findings.add(path, 1, f"give the room {room or 'src'} a line in {TABLE}")
    check_cycles(graph, findings)
    findings.finish()


if __name__ == "__main__":
    print_edges(sys.argv[2]) if sys.argv[1] == "--edges" else main(sys.argv[1])
