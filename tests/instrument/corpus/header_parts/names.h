#ifndef NAMES_H
#define NAMES_H
static inline const char *shapes_file(void)
{
    return __FILE__;
}
#endif
