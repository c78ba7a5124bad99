/// An image as bytes, in the order in which it is written: for each entry a kind, a mode, and a path relative to the folder; then for
/// a file its size and its pages, for a link its target, for a second name of a file the path of the first.
#ifndef IMAGE_H
#define IMAGE_H

#include <stddef.h>

/// Writes an image into an empty folder. Returns 0 or an error number.
int image_fill(const char *folder, const void *image, size_t length);

#endif
