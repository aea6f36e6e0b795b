#!/usr/bin/env -S python3 -B
# SPDX-License-Identifier: BSD-3-Clause
"""words.py ROOT: riddles in comments, messages and documents (tools/words.tbl), and sentences of more than 40 words.

Sentences are looked at in Markdown and in the comments of C files: each item of a list for itself, tables and code not
at all.
"""
import re
import sys
import prose
import tree

LIMIT = 40
TABLE = "tools/words.tbl"
# Between two words there may be the end of a line, with the marks of a comment.
GAP = r"(?:\n\s*(?:\*|//|#|--)\s*|\s)+"
# What the golden outputs say is written in src/.
APART = re.compile(r"tests/\w+/golden/|tests/\w+/fixtures/|tests/instrument/corpus/")


def read_table(root, findings):
    """[(pattern, what to say)]"""
    rules = []
    for number, row in tree.rows(root, TABLE):
        words, arrow, instead = row.partition("->")
        if not arrow or not instead.strip():
            findings.add(TABLE, number, "write 'words -> what to say instead'")
            continue
        pattern = GAP.join(words.split())
        rules.append((re.compile(rf"\b(?:{pattern})(?!\w)", re.I), instead.strip()))
    return rules


def check_words(root, path, rules, findings):
    for first, passage in prose.passages(tree.read(root, path), path):
        for pattern, instead in rules:
            for match in pattern.finditer(passage):
                found = re.sub(GAP, " ", match[0])
                findings.add(path, first + passage.count("\n", 0, match.start()), f"not '{found}': {instead}")


def prose_files(root):
    paths = tree.files(root, tree.FOLDERS, r".*") + tree.files(root, (".",), r".*\.md|Makefile|CMakeLists\.txt")
    return [path for path in paths if prose.language(path) and not APART.match(path) and path != TABLE]


def sentences(root, paths):
    """(number of words, file, line, sentence)"""
    for path in paths:
        if path.endswith((".md", ".c", ".h")):
            for block in prose.blocks(tree.read(root, path), path):
                for line, sentence in prose.sentences(block):
                    yield prose.count_words(sentence), path, line, sentence


def main(root):
    findings = tree.Findings()
    rules = read_table(root, findings)
    paths = prose_files(root)
    for path in paths:
        check_words(root, path, rules, findings)
    longest = (0, "", 0, "")
    for words, path, line, sentence in sentences(root, paths):
        longest = max(longest, (words, path, line, sentence))
        if words > LIMIT:
            findings.add(path, line, f"split the sentence: {words} words, {LIMIT} at most: {sentence[:50]}...")
    print(f"The longest sentence has {longest[0]} words: {longest[1]}:{longest[2]}", file=sys.stderr)
    findings.finish()


if __name__ == "__main__":
    main(sys.argv[1])
