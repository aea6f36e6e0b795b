#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# Opening the tree: --focus by name and place, --depth, --rank, what is cut.
. "$WEFT_SOURCE/tests/tree/common.sh"
make_profile wave wave.sql
make_profile figure12 figure12.sql
make_profile heat heat.sql
cd "$scratch" || exit 1

# By name: also the end of a C++ name, a region, a phase, an MPI function; by place: a procedure, loop, call or
# statement.
has '^ +0\.5 %.*  Setup::make_grid +src/setup\.cc:12$' report --tree --focus make_grid wave.weft
has '^ +0\.5 %.*  Setup::make_grid +src/setup\.cc:12$' report --tree --focus Setup::make_grid wave.weft
has '^ +0\.5 %.*  Setup::make_grid +src/setup\.cc:12$' report --tree --focus 'Setup<double, 3>::make_grid(int, char**)' wave.weft
has '^ +38\.0 %.*  region halo' report --tree --focus halo wave.weft
has '^ +95\.0 %.*  phase relaxation' report --tree --focus relaxation wave.weft
has '^ +37\.5 %.*  MPI_Waitall' report --tree --focus MPI_Waitall wave.weft
has '^ +39\.0 %.*  exchange' report --tree --focus src/wave.c:8 wave.weft
has '^ +94\.8 %.*  for loop' report --tree --focus wave.c:65 wave.weft
has '^ +15\.0 %.*  exchange' report --tree --focus wave.c:67 wave.weft
has '^ +37\.5 %.*  MPI_Waitall' report --tree --focus ./wave.c:14 wave.weft
has '^ +< 0\.1 %.*  MPI_Comm_dup +libfield\.so\.2\+0x1a2a$' report --tree --focus libfield.so.2+0x1a2a wave.weft
has '^  MPI_Isend src/wave\.c:12 is in exchange, for loop src/wave\.c:10\. exchange is$' report --tree --focus wave.c:12 wave.weft
has_not 'is called from' report --tree --focus main wave.weft

# Everything below it, also what the whole tree cuts; its content is told below it, wherever else it is called.
has 'MPI_Irecv' report --tree --focus exchange wave.weft
has_not 'MPI_Irecv' report --tree wave.weft
has 'MPI_Irecv' report --tree --all wave.weft
has 'all of exchange' report --tree --focus wave.c:67 wave.weft
has_not 'see ' report --tree --focus wave.c:67 wave.weft
has '… 2 more' report --tree wave.weft

# Depth counts levels below the root.
[[ $("$WEFT" report --tree --depth 0 figure12.weft | grep -c 'lz\.c') == 1 ]] || fail "depth 0 is not the root alone"
[[ $("$WEFT" report --tree --depth 1 figure12.weft | grep -c 'lz\.c') == 3 ]] || fail "depth 1"
has_not 'see ' report --tree --depth 2 figure12.weft

# One rank.
has '^  60\.0 %  6\.00 s.*stencil' report --tree --rank 3 --focus stencil wave.weft
has ', rank 3$' report --tree --rank 3 wave.weft
has_not 'progress_thread|▲' report --tree --rank 3 wave.weft
has 'progress_thread' report --tree --rank 0 wave.weft

# A program that was not compiled with weft cc.
has 'Compile it with' report --tree heat.weft
has_not 'Compile it with' report --tree wave.weft
has_not 'MPI_Init|MPI_Finalize' report --tree --all heat.weft
finish
