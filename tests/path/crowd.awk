# SPDX-License-Identifier: BSD-3-Clause
# awk -v n=N -f crowd.awk: the text of a program with N statements, for crowd.h. The first half is its first phase, the
# other its second one, which begins when that is over; the last statement is reached once, at the end. Behind each
# statement is a stretch of computing, so there are twice as many regions.
function phase(number, from, to,    i)
{
    print "static void phase_" number "(void)"
    print "{"
    for (i = from; i < to; i++)
        print "    STATEMENT(" i ")"
    print "}"
}

BEGIN {
    print "#include \"crowd.h\""
    print "const int statements = " n ";"
    phase(1, 0, int(n / 2))
    phase(2, int(n / 2), n - 1)
    print "void first_phase(void)\n{\n    phase_1();\n}"
    print "void second_phase(void)\n{\n    phase_2();\n}"
    print "void last_statement(void)\n{"
    print "    STATEMENT(" n - 1 ")\n}"
}
