#!/usr/bin/env -S python3 -B
# SPDX-License-Identifier: BSD-3-Clause
"""globals.py ROOT: mutable variables of file scope in src/ without a reason in tools/globals.tbl."""
import re
import sys
import tags
import tree

TABLE = "tools/globals.tbl"
# What may stand between the end of a struct and the name of a variable of it.
QUALIFIERS = {"const", "volatile", "restrict", "__thread", "_Alignas", "__attribute__", "aligned", "unused", "used"}


def without_comments(text):
    """Comments, strings and lines for the preprocessor as blanks: every character keeps its place."""
    blank = r'/\*.*?\*/|//[^\n]*|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])*\'|^[ \t]*#(?:[^\n\\]|\\.)*'
    return re.sub(blank, lambda match: re.sub(r"[^\n]", " ", match[0]), text, flags=re.S | re.M)


def declaration(text, name_at):
    """From the begin of the declaration to the variable's name."""
    depth = 0
    for at in range(name_at - 1, -1, -1):
        if text[at] == "}":
            between = set(re.findall(r"\w+", text[at + 1:name_at]))
            if depth == 0 and between - QUALIFIERS:
                return text[at + 1:name_at]
            depth += 1
        elif text[at] == "{":
            depth -= 1
        elif text[at] == ";" and depth == 0:
            return text[at + 1:name_at]
    return text[:name_at]


def is_const(before_name):
    """Whether the variable itself is: in 'const char *x' it is not."""
    before_name = re.sub(r"\{.*\}", " ", before_name, flags=re.S)
    if "*" in before_name:
        before_name = before_name[before_name.rindex("*"):]
    return re.search(r"\bconst\b", before_name) is not None


def variables(root, paths, functions):
    """The mutable variables of file scope. What is defined as a function elsewhere was only declared, by a typedef."""
    texts = {}
    defined = {tag["name"] for tag in functions}
    for tag in [tag for tag in tags.tags(root, paths, "v") if tag["name"] not in defined]:
        text = texts.setdefault(tag["path"], without_comments(tree.read(root, tag["path"])))
        line_at = sum(len(line) + 1 for line in text.split("\n")[:tag["line"] - 1])
        match = re.compile(rf"\b{re.escape(tag['name'])}\b").search(text, line_at)
        if match and not is_const(declaration(text, match.start())):
            yield tag


def read_table(root, findings):
    """(file, variable) -> line of the table"""
    reasons = {}
    for number, row in tree.rows(root, TABLE):
        match = re.fullmatch(r"(\S+):\s+([\w, ]+?)\s+->\s+\S.*", row)
        if not match:
            findings.add(TABLE, number, "write 'file: variable, variable -> why'")
            continue
        for name in match[2].split(","):
            reasons[match[1], name.strip()] = number
    return reasons


def main(root):
    findings = tree.Findings()
    paths = tree.files(root, ("src",), r".*\.[ch]")
    reasons = read_table(root, findings)
    for tag in variables(root, paths, tags.tags(root, paths, "f")):
        if not reasons.pop((tag["path"], tag["name"]), None):
            findings.add(tag["path"], tag["line"], f"put {tag['name']} into an object, or its reason into {TABLE}")
    for (path, name), number in reasons.items():
        findings.add(TABLE, number, f"remove {name}: {path} has no such variable")
    findings.finish()


if __name__ == "__main__":
    main(sys.argv[1])
