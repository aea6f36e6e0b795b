/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The names of source files, as the compiler was given them.
 */
#include <dwarf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "collect/resolve_inside.h"

static const char *die_text(Dwarf_Die *die, unsigned name)
{
    Dwarf_Attribute attribute;
    return dwarf_formstring(dwarf_attr(die, name, &attribute));
}

/* What follows "directory/" in the path, or NULL. */
static const char *source_file_behind_directory(const char *path, const char *directory)
{
    size_t length = strlen(directory);
    while (length > 0 && directory[length - 1] == '/')
        length--;
    return strncmp(path, directory, length) == 0 && path[length] == '/' ? path + length + 1 : NULL;
}

/* Whether the unit's line table has the file's directory as an absolute path. Entry 0 is where the compiler
 * ran. */
static bool source_file_directory_is_absolute(Dwarf_Die *unit, const char *path)
{
    Dwarf_Files *files;
    const char *const *directories;
    size_t file_count, count, length = (size_t)(strrchr(path, '/') - path);
    if (dwarf_getsrcfiles(unit, &files, &file_count) != 0 || dwarf_getsrcdirs(files, &directories, &count) != 0)
        return false;
    for (size_t i = 1; i < count; i++)
        if (directories[i] && strlen(directories[i]) == length && memcmp(directories[i], path, length) == 0)
            return true;
    return false;
}

/* libdw puts the compiler's working directory in front of most files: it is taken off again, unless the compiler was
 * given it. */
const char *wf_source_file_as_given(Dwarf_Die *unit, const char *path)
{
    const char *directory = die_text(unit, DW_AT_comp_dir), *primary = die_text(unit, DW_AT_name);
    const char *rest = directory ? source_file_behind_directory(path, directory) : NULL;
    if (!rest)
        return path;
    if (primary && primary[0] != '/' && strcmp(rest, primary) == 0)
        return primary;
    if (primary && strcmp(path, primary) == 0)
        return primary;
    /* The assembler writes a directory equal to the compiler's own as entry 0, absolute or not: the primary
     * file tells. */
    if (!strchr(rest, '/') && primary && primary[0] == '/')
        return path;
    return source_file_directory_is_absolute(unit, path) ? path : rest;
}

const char *wf_source_file_in_full(Dwarf_Die *unit, const char *path, char **buffer)
{
    const char *directory = die_text(unit, DW_AT_comp_dir);
    if (path[0] == '/' || !directory)
        return path;
    free(*buffer);
    if (asprintf(buffer, "%s/%s", directory, path) < 0)
        *buffer = NULL;
    return *buffer ? *buffer : path;
}

/* (dwarf_decl_file does not know that file 0 is a file since DWARF 5.) */
const char *wf_source_file_named(Dwarf_Attribute *attribute, Dwarf_Die *unit)
{
    Dwarf_Word index;
    Dwarf_Half version;
    Dwarf_Files *files;
    size_t count;
    if (!attribute || dwarf_formudata(attribute, &index) != 0 ||
        dwarf_cu_info(attribute->cu, &version, NULL, unit, NULL, NULL, NULL, NULL) != 0 ||
        dwarf_getsrcfiles(unit, &files, &count) != 0)
        return NULL;
    return index < count && (index > 0 || version >= 5) ? dwarf_filesrc(files, index, NULL, NULL) : NULL;
}
