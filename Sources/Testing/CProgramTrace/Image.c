#define _GNU_SOURCE
#include "Image.h"
#include "CProgramTrace.h"

#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

struct reader {
    const char *next, *end;
    bool is_valid;
};

static const char *take(struct reader *reader, uint64_t length) {
    if (!reader->is_valid || length > (uint64_t)(reader->end - reader->next)) {
        reader->is_valid = false;
        return NULL;
    }
    const char *start = reader->next;
    reader->next += length;
    return start;
}

static uint64_t take_number(struct reader *reader, size_t size) {
    uint64_t number = 0;
    const char *bytes = take(reader, size);
    if (bytes) memcpy(&number, bytes, size);
    return number;
}

/// A text with its length before it, as a copy that ends with a zero.
static bool take_text(struct reader *reader, char *to, size_t size) {
    uint64_t length = take_number(reader, 4);
    if (length >= size) reader->is_valid = false;
    const char *bytes = take(reader, length);
    if (!bytes) return false;
    memcpy(to, bytes, length);
    to[length] = 0;
    return true;
}

static int fill_file(struct reader *reader, int folder, const char *path, mode_t mode) {
    uint64_t size = take_number(reader, 8), pages = take_number(reader, 4);
    int file = openat(folder, path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600);
    if (file < 0) return errno;
    int code = 0;
    for (uint64_t page = 0; page < pages && code == 0; page++) {
        uint64_t offset = take_number(reader, 8), length = take_number(reader, 4);
        const char *bytes = take(reader, length);
        if (!bytes) break;
        ssize_t count = pwrite(file, bytes, length, offset);
        if (count != (ssize_t)length) code = count < 0 ? errno : ENOSPC;
    }
    if (code == 0 && ftruncate(file, size) != 0) code = errno;
    if (code == 0 && mode != 0600 && fchmod(file, mode) != 0) code = errno;
    close(file);
    return code;
}

static int fill_entry(struct reader *reader, int folder) {
    static char path[8192], other[8192];
    uint64_t kind = take_number(reader, 1), mode = take_number(reader, 4);
    if (!take_text(reader, path, sizeof path)) return EINVAL;
    switch (kind) {
    case 'f': return fill_file(reader, folder, path, mode);
    case 'd': return mkdirat(folder, path, 0700) == 0 ? 0 : errno;
    case 'l':
        if (!take_text(reader, other, sizeof other)) return EINVAL;
        return symlinkat(other, folder, path) == 0 ? 0 : errno;
    case 'h':
        if (!take_text(reader, other, sizeof other)) return EINVAL;
        return linkat(folder, other, folder, path, 0) == 0 ? 0 : errno;
    // The mode of a folder, after its content.
    case 'm': return fchmodat(folder, path, mode, 0) == 0 ? 0 : errno;
    }
    return EINVAL;
}

int image_fill(const char *folder, const void *image, size_t length) {
    struct reader reader = {image, (const char *)image + length, true};
    int descriptor = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (descriptor < 0) return errno;
    int code = 0;
    while (code == 0 && reader.next < reader.end) {
        code = fill_entry(&reader, descriptor);
        if (!reader.is_valid) code = EINVAL;
    }
    close(descriptor);
    return code;
}

static int remove_entry(const char *path, const struct stat *status, int kind, struct FTW *place) {
    (void)status;
    if (place->level == 0) return 0;
    if (kind == FTW_DNR && chmod(path, 0700) != 0) return errno;
    return (kind == FTW_DP || kind == FTW_DNR ? rmdir(path) : unlink(path)) == 0 ? 0 : errno;
}

int program_checker_clear(const char *folder) {
    errno = 0;
    int result = nftw(folder, remove_entry, 32, FTW_DEPTH | FTW_PHYS | FTW_MOUNT);
    return result < 0 ? errno : result;
}

int program_checker_fill(const char *folder, const void *image, size_t length) {
    int code = program_checker_clear(folder);
    return code ? code : image_fill(folder, image, length);
}
