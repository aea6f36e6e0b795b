# SPDX-License-Identifier: BSD-3-Clause
# bench.json -> the table that run.sh prints.
def rounded: if fabs >= 1000 then round elif fabs >= 10 then . * 10 | round / 10 else . * 1000 | round / 1000 end;
def digits: if . == null then "" else rounded | tostring end;
def signed: if . == null then "" else rounded | if . > 0 then "+\(.)" elif . == 0 then "0" else tostring end end;
def right($n): " " * ([$n - length, 1] | max) + .;
def left($n): . + " " * ([$n - length, 1] | max);
def per_cent: if .unit == "ns" and .part == "latency" then .difference / .plain * 1000 | round / 10 | signed else "" end;
def line($row):
    ($row[0] | left(9)) + ($row[1] | left(38)) + ($row[2] | right(7)) + ($row[3] | right(9)) + ($row[4] | right(12)) +
    ($row[5] | right(7)) + ($row[6] | right(8)) + ($row[7] | right(8)) + ($row[8] | right(7)) + "  " + ($row[9] | left(4)) + $row[10];
line(["MPI", "what", "plain", "watched", "difference", "%", "floor", "noise", "limit", "", ""]),
(.rows[] | select(.name) | line([.mpi, .name, (.plain | digits), (.watched | digits),
                 (if .plain == null then "" else .difference | signed end), per_cent, (.floor | signed), (.control | signed),
                 (.limit | digits), .unit, (.verdict // "")])),
(.rows[] | select(.columns) | "", "\(.mpi): \(.title)",
    ((.lines | map(.[0] | length) | max) as $first | .columns, .lines[] |
        (.[0] | left($first + 2)) + ([.[1:][] | (if type == "number" then digits else . // "" end) | right(16)] | join("")))),
"",
"floor: what two readings of the clock add alone. noise: what plain adds to plain.",
"Spreads and details: bench.json. How it is measured: bench/README.md."
