# SPDX-License-Identifier: BSD-3-Clause
# mpi_calls.tbl -> the names of all watched functions, in the table's order.
BEGIN { print "#include \"format/mpi_calls.h\"\nconst char *const wf_mpi_call_names[] = {" }
/^[A-Z]/ && $2 != "none" { printf "    \"MPI_%s\",\n", $1 }
END { print "};\nconst unsigned wf_mpi_call_count = sizeof wf_mpi_call_names / sizeof *wf_mpi_call_names;" }
