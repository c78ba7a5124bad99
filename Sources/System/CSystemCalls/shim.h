// Calls that Swift's module of the C library leaves out. No library to link.
#ifndef CSYSTEM_SHIM_H
#define CSYSTEM_SHIM_H

#include <spawn.h>
#include <stdint.h>

#ifdef __linux__
#include <sys/timerfd.h>

// Declared here, since the C library declares them for programs of GNU extensions only.
extern int sync_file_range(int descriptor, int64_t offset, int64_t count, unsigned int flags);
extern int posix_spawn_file_actions_addchdir_np(posix_spawn_file_actions_t *actions, const char *path);
#endif

// Compares bytes as memcmp does.
static inline int compare_bytes(const void *left, const void *right, long count)
{
    return __builtin_memcmp(left, right, (unsigned long)count);
}

// Begins to write the pages of a file that have changed, and waits for none of them. It promises nothing: nothing is on the disk
// before a flush, which has less to wait for then. Elsewhere than on Linux, and below a kernel without the call, it does nothing.
static inline void start_writeback(int descriptor)
{
#ifdef __linux__
    // SYNC_FILE_RANGE_WRITE, to the end of the file.
    (void)sync_file_range(descriptor, 0, 0, 2);
#else
    (void)descriptor;
#endif
}

#endif
