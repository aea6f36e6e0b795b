/* SPDX-License-Identifier: BSD-3-Clause */
#include <elf.h>
#include <stdio.h>
#include <string.h>

#include "mutate.h"

static bool read_section(const struct image *image, size_t index, Elf64_Shdr *section)
{
    const Elf64_Ehdr *elf = (const void *)image->bytes;
    size_t at = elf->e_shoff + index * sizeof *section;
    if (elf->e_shoff > image->size || at + sizeof *section > image->size)
        return false;
    memcpy(section, image->bytes + at, sizeof *section);
    return section->sh_type != SHT_NOBITS && section->sh_offset < image->size &&
           section->sh_size <= image->size - section->sh_offset && section->sh_size > 0;
}

/* The section of this name; false: there is none. */
static bool find_section(const struct image *image, const char *name, Elf64_Shdr *section)
{
    const Elf64_Ehdr *elf = (const void *)image->bytes;
    Elf64_Shdr names;
    if (image->size < sizeof *elf || !read_section(image, elf->e_shstrndx, &names))
        return false;
    for (size_t i = 0; i < elf->e_shnum; i++)
        if (read_section(image, i, section) && section->sh_name < names.sh_size &&
            strncmp((const char *)image->bytes + names.sh_offset + section->sh_name, name,
                    names.sh_size - section->sh_name) == 0)
            return true;
    return false;
}

/* Its lines are records, their fields separated by tabs. */
static void change_tables(struct chance *chance, struct image *image)
{
    static const char marks[] = "\t\n\\0123456789plcmu-", *const words[] = {"\t\t\t",     "4294967295",
                                                                            "4294967296", "99999999999999999999",
                                                                            "-1",         "\n\n"};
    Elf64_Shdr section;
    if (!find_section(image, "weft_static", &section))
        return;
    unsigned char *bytes = image->bytes + section.sh_offset;
    for (size_t i = 1 + chance_below(chance, 6); i > 0; i--) {
        size_t at = chance_below(chance, section.sh_size), room = section.sh_size - at;
        const char *word = words[chance_below(chance, sizeof words / sizeof *words)];
        if (chance_one_in(chance, 3))
            memcpy(bytes + at, word, strlen(word) < room ? strlen(word) : room);
        else if (chance_one_in(chance, 2))
            bytes[at] = (unsigned char)marks[chance_below(chance, sizeof marks)];
        else
            mutate_bytes(chance, image, section.sh_offset + at, room);
    }
}

static void change_debug(struct chance *chance, struct image *image)
{
    static const char *const names[] = {".debug_info",    ".debug_abbrev",   ".debug_line",     ".debug_str",
                                        ".debug_aranges", ".debug_rnglists", ".debug_loclists", ".debug_line_str",
                                        ".symtab",        ".strtab",         ".dynsym",         ".note.gnu.build-id",
                                        ".gnu_debuglink", ".eh_frame"};
    Elf64_Shdr section;
    if (find_section(image, names[chance_below(chance, sizeof names / sizeof *names)], &section))
        mutate_bytes(chance, image, section.sh_offset, section.sh_size);
}

static void change_section_header(struct chance *chance, struct image *image)
{
    Elf64_Ehdr elf;
    uint64_t number = chance_number(chance);
    memcpy(&elf, image->bytes, sizeof elf);
    if (elf.e_shnum == 0 || elf.e_shoff >= image->size)
        return;
    size_t at = elf.e_shoff + chance_below(chance, elf.e_shnum) * sizeof(Elf64_Shdr) + 4 * chance_below(chance, 16),
           width = chance_one_in(chance, 2) ? 8 : 4;
    if (at + width <= image->size)
        memcpy(image->bytes + at, &number, width);
}

static void change_head(struct chance *chance, struct image *image)
{
    mutate_bytes(chance, image, 4, sizeof(Elf64_Ehdr) + 10 * sizeof(Elf64_Phdr));
}

void mutate_elf(struct chance *chance, struct image *image)
{
    static void (*const ways[])(struct chance *, struct image *) = {
        change_tables, change_tables, change_tables,         change_debug,          change_debug,
        change_debug,  change_head,   change_section_header, change_section_header, mutate_file};
    for (size_t i = 1 + chance_below(chance, 3); i > 0 && image->size >= sizeof(Elf64_Ehdr); i--)
        ways[chance_below(chance, sizeof ways / sizeof *ways)](chance, image);
}
