# SPDX-License-Identifier: BSD-3-Clause
"""The English in a file: comments, messages, documents.

A block is a list of (line number, text): one paragraph, one item of a list, one comment. Code, tables and headings are
no blocks.
"""
import os
import re

ABBREVIATION = re.compile(r"(?:^|[\s(])(?:e\.g|i\.e|cf|vs|\.\.)\.$", re.I)
END = re.compile(r"""[.!?]['")\]*_`]*(?=\s|$)""")
TOKENS = {
    "c": re.compile(r'(?P<comment>/\*.*?\*/|//[^\n]*)|(?P<string>"(?:\\.|[^"\\\n])*")|\'(?:\\.|[^\'\\\n])*\'', re.S),
    "sh": re.compile(r'(?P<comment>(?:(?<=\s)|^)\#[^\n]*)|(?P<string>"(?:\\.|[^"\\])*"|\'[^\']*\')|\\.', re.M),
    "sql": re.compile(r"(?P<comment>--[^\n]*)|(?P<string>'(?:''|[^'])*')"),
    "f90": re.compile(r"(?P<string>\"[^\"\n]*\"|'[^'\n]*')|(?P<comment>![^\n]*)"),
}
LANGUAGE = {"c": (".c", ".h", ".S", ".cpp"), "sql": (".sql",), "f90": (".f90", ".F90"),
            "sh": (".sh", ".awk", ".cmake", ".txt", ".py", ".jq", ".tbl", "")}


def language(path):
    """"md", one of TOKENS, or None"""
    if path.endswith(".md"):
        return "md"
    name, suffix = os.path.splitext(os.path.basename(path))
    if suffix in (".txt", "") and name not in ("CMakeLists", "Makefile"):
        return None
    return next((language for language, suffixes in LANGUAGE.items() if suffix in suffixes), None)


def tokens(text, path):
    """(kind, line, text) of all comments and strings"""
    for match in TOKENS[language(path)].finditer(text):
        if match.lastgroup:
            yield match.lastgroup, text.count("\n", 0, match.start()) + 1, match[0]


def passages(text, path):
    """All English as (line, text), lines kept as they are: what the list of words is held against."""
    if language(path) == "md":
        yield 1, "\n".join("" if kind == "code" else line for kind, _, line in markdown_lines(text))
        return
    joined = None
    for kind, line, words in tokens(text, path):
        if kind == "string" and not re.search(r"\w \w|\w\\n", words):
            continue # a name and no message
        if kind == "comment" and joined and joined[0] + joined[1].count("\n") + 1 == line:
            joined = joined[0], joined[1] + "\n" + words
            continue
        if joined:
            yield joined
            joined = None
        if kind == "comment":
            joined = line, words
        else:
            yield line, words
    if joined:
        yield joined


# ---- blocks of C ----

def comment_lines(comment, column):
    """The text of a comment line by line, without its marks: (indentation, text)."""
    body = comment[2:-2] if comment.startswith("/*") else comment[2:]
    for number, line in enumerate(body.split("\n")):
        if number:
            mark = re.match(r"\s*\*( |$)", line)
            line = line[mark.end() if mark else min(column + 3, indentation(line)):]
        elif line.startswith(" "):
            line = line[1:]
        yield indentation(line), line.strip()


def indentation(line):
    return len(line) - len(line.lstrip())


def is_row(indent, text):
    """A line of a table, of code or an expectation of tests/known_answers, no sentence."""
    if text.startswith("expect ") or indent >= 2 or not re.search(r"\w", text):
        return True
    return bool(re.search(r"[^\s.!?:]\s{2,}\S", text))


def c_comments(text):
    """(line, column, comment), // on lines below one another as one"""
    joined = None
    for match in TOKENS["c"].finditer(text):
        if match.lastgroup != "comment":
            continue
        line = text.count("\n", 0, match.start()) + 1
        column = match.start() - text.rfind("\n", 0, match.start()) - 1
        below = joined and joined[0] + joined[2].count("\n") + 1 == line
        if below and match[0].startswith("//") and joined[2].startswith("//"):
            joined = joined[0], column, joined[2] + "\n// " + match[0][2:].strip()
            continue
        if joined:
            yield joined
        joined = line, column, match[0]
    if joined:
        yield joined


def c_blocks(text):
    for first, column, comment in c_comments(text):
        if comment.startswith("//"):
            comment = comment.replace("\n// ", "\n * ")
        block = []
        for number, (indent, line) in enumerate(comment_lines(comment, column), first):
            row = is_row(indent, line)
            if (row or re.match(r"(?:[-*]|\d+[.)])\s", line)) and block:
                yield block
                block = []
            if not row:
                block.append((number, line))
        if block:
            yield block


# ---- blocks of Markdown ----

ITEM = re.compile(r"(\s*)([-*+]|\d+[.)])(\s+)")


def markdown_lines(text):
    """(kind, line number, line): kind is text, item, empty, heading, table or code"""
    fenced, margin, before = False, 0, "empty"
    for number, line in enumerate(text.splitlines(), 1):
        kind = "text"
        item = ITEM.match(line)
        if line.lstrip().startswith("```"):
            fenced, kind = not fenced, "code"
        elif fenced:
            kind = "code"
        elif not line.strip():
            kind = "empty"
        elif before in ("empty", "code") and indentation(line) >= margin + 4:
            kind = "code"
        elif item:
            kind, margin = "item", item.end()
        elif re.match(r"\s*\|", line):
            kind, margin = "table", min(margin, indentation(line))
        elif re.match(r"#|\s*(-{3,}|={3,})\s*$|\[[^]]+\]:\s", line):
            kind, margin = "heading", 0
        elif indentation(line) < margin and before == "empty":
            margin = 0
        yield kind, number, line
        before = "code" if kind == "empty" and before == "code" else kind


def markdown_blocks(text):
    block = []
    for kind, number, line in markdown_lines(text):
        if kind != "text" and block:
            yield block
            block = []
        if kind in ("text", "item"):
            block.append((number, ITEM.sub("", line, count=1) if kind == "item" else line.strip()))
    if block:
        yield block


# ---- sentences ----

def blocks(text, path):
    return markdown_blocks(text) if language(path) == "md" else c_blocks(text)


def plain(text):
    """Code within a sentence is one word, and of a link only its text is read."""
    text = re.sub(r"`[^`]*`", "code", text)
    return re.sub(r"\[([^]]*)\]\([^)]*\)", r"\1", text)


def sentences(block):
    """(line, text)"""
    text = ""
    starts = [] # where in the text which line begins
    for number, line in block:
        starts.append((len(text), number))
        text += line + " "
    begin = 0
    ends = [match.end() for match in END.finditer(text) if not ABBREVIATION.search(text[:match.start() + 1])]
    for end in ends + [len(text)]:
        sentence = text[begin:end]
        at = begin + indentation(sentence)
        if sentence.strip():
            yield max(number for start, number in starts if start <= at), sentence.strip()
        begin = end


def count_words(sentence):
    return sum(1 for word in plain(sentence).split() if re.search(r"\w", word))
