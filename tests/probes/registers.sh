#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# What the probes of weft cc call directly uses no vector or floating-point register: the compiler has saved none of
# them there. What goes through weft_saved_ may.
. "$(dirname "$0")/../lib.sh"
library=$(dirname "$(dirname "$WEFT")")/lib/weft/libweft.so
[ -e "$library" ] || skip "weft is installed in another way: no $library"
command -v objdump >/dev/null || skip "there is no objdump here"
objdump -t "$library" | has '\.text' || skip "$library is stripped"
cd "$tmp"
objdump -R "$library" | awk 'NF == 3 { sub(/[+@].*/, "", $3); print $1, $3 }' >pointers ||
    fail "objdump does not know $library"
objdump -d --no-show-raw-insn "$library" >code || fail "objdump does not know $library"

# "uses FUNCTION INSTRUCTION" for each use of such a register, and "calls FUNCTION FUNCTION"
awk '
    NR == FNR { sub(/^0+/, "", $1); name[$1] = $2; next }
    /^[0-9a-f]+ <.*>:$/ { here = $2; gsub(/[<>:]/, "", here); next }
    /%([xyz]?mm|st|k[0-7])/ { text = $0; sub(/^[^:]*:[ \t]*/, "", text); print "uses", here, text }
    $2 ~ /^(call|jmp|j[a-z]+|addr32|bnd|notrack)$/ {
        target = ""
        if (match($0, /# [0-9a-f]+ </)) { # through a pointer
            target = substr($0, RSTART + 2, RLENGTH - 4)
            target = target in name ? name[target] : ""
        } else if (match($0, /<[^>]*>/)) {
            target = substr($0, RSTART + 1, RLENGTH - 2)
            sub(/[+]0x.*/, "", target)
        }
        if (target != "" && target != here)
            print "calls", here, target
    }' pointers code | sort -u >facts

reached="api_enter api_leave"
for function in $reached; do
    grep -q "^[0-9a-f]* <$function>:" code || fail "there is no $function in $library"
done
while :; do
    more=$(awk -v reached="$reached" 'BEGIN { split(reached, list); for (i in list) known[list[i]] }
        $1 == "calls" && $2 in known && !($3 in known) && $3 != "weft_saved_" && $3 != "weft_internal_clock_mono_ns" {
            print $3
        }' facts | sort -u | tr '\n' ' ')
    [ -n "$more" ] || break
    reached="$reached $more"
done
for function in wf_stack_push wf_stack_pop wf_visit_find weft_internal_guard_is_inside; do
    echo "$reached" | has -w "$function" || fail "$function is not reached: $reached"
done
for function in $reached; do
    case $function in
    # of the C library: a system call, an address, the end
    sigaltstack | __errno_location | __stack_chk_fail) continue ;;
    esac
    grep -q "^[0-9a-f]* <$function>:" code || fail "$function is called without saving registers, and is not weft's"
    ! grep "^uses $function " facts || fail "$function uses registers that were not saved"
done
