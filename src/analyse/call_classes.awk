# SPDX-License-Identifier: BSD-3-Clause
# mpi_calls.tbl -> the class of each watched function.
BEGIN { print "#include \"analyse/call_kind.h\"\nconst struct wf_call_class wf_call_classes[] = {" }
/^[A-Z]/ && $2 != "none" { printf "    {\"MPI_%s\", \"%s\"},\n", $1, $2 }
END { print "    {0, 0},\n};" }
