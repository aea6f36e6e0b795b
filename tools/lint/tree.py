# SPDX-License-Identifier: BSD-3-Clause
"""The files of a tree, and what a checker found in them."""
import os
import re
import sys

FOLDERS = ("src", "include", "bench", "tools", "cmake", "docs", "examples", "tests")


def files(root, folders, pattern):
    """Paths below root, in order, whose name matches the whole pattern. "." is the root without its folders."""
    found = []
    for folder in folders:
        for here, below, names in os.walk(os.path.join(root, folder)):
            below[:] = [] if folder == "." else [name for name in below if not name.startswith((".", "__"))]
            found += [os.path.relpath(os.path.join(here, name), root) for name in names if re.fullmatch(pattern, name)]
    return sorted(found)


def read(root, path):
    with open(os.path.join(root, path), encoding="utf-8", errors="replace") as file:
        return file.read()


def rows(root, path):
    """The lines of a table that say something: (number, text)."""
    for number, text in enumerate(read(root, path).splitlines(), 1):
        if text.strip() and not text.lstrip().startswith("#"):
            yield number, text.strip()


class Findings:
    """One line for each finding: file:line: what to do."""

    def __init__(self):
        self.all = set()

    def add(self, path, line, text):
        self.all.add((path, line, text))

    def finish(self):
        """Prints the findings and ends the checker: 1 if there are any."""
        for path, line, text in sorted(self.all):
            print(f"{path}:{line}: {text}")
        sys.exit(1 if self.all else 0)
