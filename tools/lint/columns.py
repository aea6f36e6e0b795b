#!/usr/bin/env -S python3 -B
# SPDX-License-Identifier: BSD-3-Clause
"""columns.py ROOT: lines with more than 120 columns. tools/columns.tbl names the files that may have them."""
import fnmatch
import sys
import tree

LIMIT = 120
CODE = r".*\.(c|h|S|cpp|sh|bash|awk|sql|py|cmake)|CMakeLists\.txt"
TESTS = r".*\.(c|h|cpp|sh)"


def excepted(root):
    return [row.split(":", 1)[0].strip() for _, row in tree.rows(root, "tools/columns.tbl")]


def main(root):
    findings = tree.Findings()
    patterns = excepted(root)
    paths = tree.files(root, ("src", "include", "bench", "tools", "cmake", "examples"), CODE)
    for path in paths + tree.files(root, ("tests",), TESTS):
        if any(fnmatch.fnmatch(path, pattern) for pattern in patterns):
            continue
        for number, line in enumerate(tree.read(root, path).splitlines(), 1):
            if len(line.expandtabs(8)) > LIMIT:
                findings.add(path, number, f"break the line: {len(line.expandtabs(8))} columns, {LIMIT} at most")
    findings.finish()


if __name__ == "__main__":
    main(sys.argv[1])
