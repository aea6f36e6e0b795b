# SPDX-License-Identifier: BSD-3-Clause
# mpi_calls.tbl -> stubs.S: the front's exported names, each a jump through its slot. r10 and r11 are free at a call by
# the ABI.
#
# A C name leads to the backend's wrapper, PMPI_X to the same as MPI_X; the stub of PMPI_X leaves a mark. A Fortran name
# leads to the MPI library's own Fortran binding, which ends in a C function that has a stub, too. The stub of the
# Fortran name notes which Fortran statement it was, and where that keeps its requests: the binding may hand copies of
# them to C.
# Where mpi_f08's entry calls the one of mpif.h, the note of the first one stays. The notes lie in struct wf_tls
# (guest/thread.h).
function stub(name, fortran, pmpi) {
    print "    .globl " name "\n    .type " name ", @function\n" name ":"
    if (fortran) {
        print "    movq weft_tls@gottpoff(%rip), %r10\n    cmpl $" call + 1 ", %fs:8(%r10)"
        print "    je 2f\n    movq (%rsp), %r11"
        print "    movl $" call + 1 ", %fs:8(%r10)\n    movq %r11, %fs:16(%r10)"
        if (requests[call] > 6)
            print "    movq " 8 * (requests[call] - 6) "(%rsp), %r11\n    movq %r11, %fs:24(%r10)"
        else if (requests[call]) print "    movq %" argument[requests[call]] ", %fs:24(%r10)"
        print "2:"
    }
    if (pmpi) print "    movq weft_tls@gottpoff(%rip), %r10\n    movl $" call + 1 ", %fs:12(%r10)"
    print "    movq wf_front_slots+" 8 * slot "(%rip), %r11\n    testq %r11, %r11\n    je 1f\n    jmp *%r11"
    print "1:  pushq $" slot "\n    jmp wf_front_resolve\n    .size " name ", . - " name
    names[slot++] = name
}
BEGIN { print "    .text"; slot = 0; count = 0; split("rdi rsi rdx rcx r8 r9", argument, " ") }
/^[A-Z]/ && $2 != "none" {
    n = split($0, parameter, ",")
    for (i = 1; i <= n; i++) if (parameter[i] ~ /(^| )(req|reqs|message):/) requests[count] = i
    row[count++] = $1
}
END {
    for (call = 0; call < count; call++) stub("MPI_" row[call], 0, 0)
    for (call = 0; call < count; call++) stub("PMPI_" row[call], 0, 1)
    for (call = 0; call < count; call++) {
        lower = tolower(row[call])
        for (p = 0; p < 2; p++) {
            prefix = p ? "pmpi_" : "mpi_"
            # MPICH names the large-count versions of mpi_f08 differently from C.
            if (lower ~ /_c$/) {
                stub(prefix substr(lower, 1, length(lower) - 2) "_f08ts_large_", 1)
                continue
            }
            stub(prefix lower "_", 1); stub(prefix lower "__", 1); stub(prefix lower, 1); stub(toupper(prefix lower), 1)
            stub(prefix lower "_f08_", 1); stub(prefix lower "_f08ts_", 1)
        }
    }
    # Saves what may hold arguments, asks wf_front_bind(slot) where the name leads, and goes there.
    print "    .type wf_front_resolve, @function\nwf_front_resolve:"
    n = split("rax rdi rsi rdx rcx r8 r9", saved, " ")
    for (i = 1; i <= n; i++) print "    pushq %" saved[i]
    print "    movq " 8 * n "(%rsp), %rdi\n    subq $136, %rsp"
    for (i = 0; i < 8; i++) print "    movups %xmm" i ", " 16 * i "(%rsp)"
    # 136, not 128: rsp has to be a multiple of 16 at the call, and the return address, the slot and n registers are
    # 9 words.
    print "    call wf_front_bind\n    movq %rax, %r11"
    for (i = 0; i < 8; i++) print "    movups " 16 * i "(%rsp), %xmm" i
    print "    addq $136, %rsp"
    for (i = n; i >= 1; i--) print "    popq %" saved[i]
    print "    addq $8, %rsp\n    jmp *%r11\n    .size wf_front_resolve, . - wf_front_resolve"

    print "    .section .rodata\n    .globl wf_mpi_calls\n    .hidden wf_mpi_calls\n    .align 4"
    print "wf_mpi_calls: .long " count
    # Offsets instead of pointers: nothing to relocate in the thousands of processes that never call MPI.
    print "    .globl wf_front_names\n    .hidden wf_front_names\nwf_front_names:"
    for (i = 0; i < slot; i++) print "    .long name" i " - wf_front_names"
    for (i = 0; i < slot; i++) print "name" i ": .asciz \"" names[i] "\""
    print "    .bss\n    .globl wf_front_slots\n    .hidden wf_front_slots\n    .align 8"
    print "wf_front_slots: .zero " 8 * slot
    print "    .section .note.GNU-stack,\"\",@progbits"
}
