# SPDX-License-Identifier: BSD-3-Clause
"""What Universal Ctags finds in C files. A tag is a dictionary: name, path, line, end, kind, and pattern (its line)."""
import json
import os
import subprocess

OPTIONS = ["--output-format=json", "--sort=no", "--languages=C", "--langmap=C:.c.h", "--fields=+nefS",
           "-DElfW(x)=Elf64_##x", "-L-"]


def tags(root, paths, kinds):
    command = ["ctags", f"--kinds-C={kinds}", *OPTIONS]
    run = subprocess.run(command, cwd=root, input="\n".join(paths), capture_output=True, text=True, check=True)
    all_tags = [json.loads(line) for line in run.stdout.splitlines()]
    return [tag for tag in all_tags if tag["_type"] == "tag" and not tag["name"].startswith("__anon")]


def places(some):
    """name -> {file: first line}"""
    found = {}
    for tag in some:
        lines = found.setdefault(tag["name"], {})
        lines[tag["path"]] = min(tag["line"], lines.get(tag["path"], tag["line"]))
    return found


def functions(root, paths):
    return places(tag for tag in tags(root, paths, "f") if tag["name"] != "main")


def types(root, paths):
    return places(tags(root, paths, "sugt"))


def several(found):
    """Those that stand in several objects: (name, {file: line}). x.c and x.h are one object: they may hold variants of
    one thing for the preprocessor."""
    def objects(lines):
        return {os.path.splitext(path)[0] for path in lines}
    return sorted((name, lines) for name, lines in found.items() if len(objects(lines)) > 1)
