/* SPDX-License-Identifier: BSD-3-Clause */
#include "base/executable.h"

#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/hash.h"

#define EXECUTABLE_BLOCK_BYTES 4096

static bool executable_read(int fd, void *to, size_t bytes, uint64_t at)
{
    return pread(fd, to, bytes, (off_t)at) == (ssize_t)bytes;
}

/* 0: there is no build id among these notes. */
static uint64_t executable_note(int fd, uint64_t at, uint64_t bytes)
{
    Elf64_Nhdr note;
    char name[4], id[64];
    for (uint64_t end = at + bytes; at + sizeof note <= end && executable_read(fd, &note, sizeof note, at);) {
        uint64_t text = at + sizeof note, value = text + (note.n_namesz + 3ull) / 4 * 4;
        if (note.n_type == NT_GNU_BUILD_ID && note.n_namesz == sizeof name && note.n_descsz <= sizeof id &&
            executable_read(fd, name, sizeof name, text) && memcmp(name, "GNU", sizeof name) == 0 &&
            executable_read(fd, id, note.n_descsz, value))
            return wf_hash_text(1, id, note.n_descsz);
        at = value + (note.n_descsz + 3ull) / 4 * 4;
    }
    return 0;
}

static uint64_t executable_build_id(int fd, const Elf64_Ehdr *elf)
{
    uint64_t id = 0;
    Elf64_Phdr part;
    for (unsigned i = 0; i < elf->e_phnum && !id; i++)
        if (executable_read(fd, &part, sizeof part, elf->e_phoff + i * sizeof part) && part.p_type == PT_NOTE)
            id = executable_note(fd, part.p_offset, part.p_filesz);
    return id;
}

static uint64_t executable_bytes(int fd)
{
    char block[EXECUTABLE_BLOCK_BYTES];
    uint64_t hash = 2;
    ssize_t n;
    for (off_t at = 0; (n = pread(fd, block, sizeof block, at)) > 0; at += n)
        hash = wf_hash_text(hash, block, (size_t)n);
    return hash;
}

uint64_t wf_executable_identity(const char *path)
{
    int before = errno, fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    struct stat status;
    Elf64_Ehdr elf;
    uint64_t id = 0;
    if (fd >= 0 && fstat(fd, &status) == 0 && S_ISREG(status.st_mode) && executable_read(fd, &elf, sizeof elf, 0) &&
        memcmp(elf.e_ident, ELFMAG, SELFMAG) == 0) {
        id = executable_build_id(fd, &elf);
        id = id ? id : executable_bytes(fd);
    }
    if (fd >= 0)
        close(fd);
    errno = before;
    return id;
}
