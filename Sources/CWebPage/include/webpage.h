#ifndef WEBPAGE_H
#define WEBPAGE_H

#include <stddef.h>

/// A file of the page. All of it lasts as long as the program.
typedef struct {
    /// Where the page looks for it, as a C string.
    const char *path;
    const unsigned char *bytes;
    size_t size;
} cw_file;

/// Returns all files of the page, in no order, and their number. Any thread may call it.
const cw_file *cw_files(size_t *count);

#endif
