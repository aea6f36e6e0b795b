#!/usr/bin/env -S python3 -B
# SPDX-License-Identifier: BSD-3-Clause
"""shape.py [-v] TREE [BUILD]: figures of a tree's shape.

Rooms with their files, lines, functions and mutable variables of file scope; lengths of functions; names that stand in
several files; lengths of sentences; and with a BUILD directory the size of its programs' machine code. -v: what is
counted as well, by name.
"""
import os
import subprocess
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "lint"))
import globals as state  # noqa: E402
import tags  # noqa: E402
import tree  # noqa: E402
import words  # noqa: E402

LONG_FUNCTION = 60


def percentile(sorted_values, part):
    return sorted_values[min(len(sorted_values) - 1, int(part * len(sorted_values)))] if sorted_values else 0


# ---- what is printed ----

def print_rooms(root, paths, functions, mutable):
    rooms = sorted({os.path.dirname(path) for path in paths})
    print(f"{'room':24}{'files':>7}{'lines':>8}{'functions':>11}{'variables':>11}")
    total = [0, 0, 0, 0]
    for room in rooms:
        inside = [path for path in paths if os.path.dirname(path) == room]
        row = [len(inside), sum(tree.read(root, path).count("\n") for path in inside),
               sum(1 for tag in functions if os.path.dirname(tag["path"]) == room),
               sum(1 for tag in mutable if os.path.dirname(tag["path"]) == room)]
        total = [a + b for a, b in zip(total, row)]
        print(f"{room:24}{row[0]:7}{row[1]:8}{row[2]:11}{row[3]:11}")
    print(f"{'all':24}{total[0]:7}{total[1]:8}{total[2]:11}{total[3]:11}\n")


def print_functions(functions):
    lengths = sorted(tag.get("end", tag["line"]) - tag["line"] + 1 for tag in functions)
    figures = [percentile(lengths, 0.5), percentile(lengths, 0.9), percentile(lengths, 0.99), percentile(lengths, 1)]
    print(f"lines of a function: median {figures[0]}, p90 {figures[1]}, p99 {figures[2]}, max {figures[3]}; "
          f"{sum(1 for length in lengths if length > LONG_FUNCTION)} of {len(lengths)} over {LONG_FUNCTION}")


def print_names(what, found, verbose):
    several = tags.several(found)
    print(f"{what} names in several files: {len(several)}, in {sum(len(lines) for _, lines in several)} places")
    if verbose:
        for name, lines in several:
            print(f"    {name}: {' '.join(sorted(lines))}")


def print_sentences(root, verbose):
    found = sorted(words.sentences(root, words.prose_files(root)), reverse=True)
    counts = sorted(count for count, *_ in found)
    long = [entry for entry in found if entry[0] > words.LIMIT]
    print(f"words of a sentence: median {percentile(counts, 0.5)}, p90 {percentile(counts, 0.9)}, "
          f"p99 {percentile(counts, 0.99)}; {len(long)} of {len(counts)} over {words.LIMIT}")
    print(f"longest sentence: {found[0][0]} words, {found[0][1]}:{found[0][2]}")
    if verbose:
        for count, path, line, sentence in long:
            print(f"    {path}:{line}: {count} words: {sentence[:60]}...")


def print_sizes(build):
    folders = [os.path.join(build, "lib", "weft"), os.path.join(build, "bin")]
    paths = [os.path.join(folder, name) for folder in folders if os.path.isdir(folder) for name in os.listdir(folder)]
    for path in sorted(path for path in paths if not os.path.islink(path)):
        run = subprocess.run(["size", path], capture_output=True, text=True, check=False)
        if run.returncode == 0:
            text = int(run.stdout.splitlines()[1].split()[0])
            print(f"machine code of {os.path.relpath(path, build)}: {text:,} bytes")


def main(arguments):
    verbose = "-v" in arguments
    root, *build = [argument for argument in arguments if argument != "-v"]
    paths = tree.files(root, ("src",), r".*\.[ch]")
    both = paths + tree.files(root, ("include",), r".*\.[ch]")
    functions = tags.tags(root, paths, "f")
    mutable = list(state.variables(root, paths, functions))
    print_rooms(root, paths, functions, mutable)
    print_functions(functions)
    print_names("function", tags.functions(root, both), verbose)
    print_names("type", tags.types(root, both), verbose)
    print_sentences(root, verbose)
    if verbose:
        for tag in mutable:
            print(f"    {tag['path']}:{tag['line']}: {tag['name']}")
    if build:
        print_sizes(build[0])


if __name__ == "__main__":
    if not 1 <= len([argument for argument in sys.argv[1:] if argument != "-v"]) <= 2:
        sys.exit("usage: shape.py [-v] TREE [BUILD]")
    main(sys.argv[1:])
