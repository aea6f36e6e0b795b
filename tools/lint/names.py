#!/usr/bin/env -S python3 -B
# SPDX-License-Identifier: BSD-3-Clause
"""names.py ROOT: functions and types of src/ whose name means several things."""
import sys
import tags
import tree


def check(findings, found, what, advice):
    for name, lines in tags.several(found):
        first = min(lines)
        for path in lines.keys() - {first}:
            findings.add(path, lines[path], f"{advice}: {what} {name} stands in {first}:{lines[first]}, too")


def main(root):
    findings = tree.Findings()
    paths = tree.files(root, ("src", "include"), r".*\.[ch]")
    check(findings, tags.functions(root, paths), "function", "name it after its object")
    check(findings, tags.types(root, paths), "type", "find another name")
    findings.finish()


if __name__ == "__main__":
    main(sys.argv[1])
