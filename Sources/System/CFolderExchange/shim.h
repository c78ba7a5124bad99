// Two names exchanged in one step. Swift's Glibc module omits GNU's extensions, of which this is one.
#ifndef CFOLDEREXCHANGE_SHIM_H
#define CFOLDEREXCHANGE_SHIM_H

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>

#if defined(__linux__)
int renameat2(int folder, const char *path, int other_folder, const char *other_path, unsigned flags);
#endif

// Exchanges two files or folders of one file system. 0, or -1 with errno; EINVAL, ENOSYS or ENOTSUP where that cannot
// be done in one step.
static inline int exchange_names(const char *path, const char *other_path)
{
#if defined(__linux__)
    return renameat2(AT_FDCWD, path, AT_FDCWD, other_path, 2 /* RENAME_EXCHANGE */);
#elif defined(__APPLE__)
    return renamex_np(path, other_path, RENAME_SWAP);
#else
    errno = ENOSYS;
    return -1;
#endif
}

#endif
