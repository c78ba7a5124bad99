// Asks the system to begin to write what a file has in the page cache. No library to link.
#ifndef CWRITEBACK_SHIM_H
#define CWRITEBACK_SHIM_H

#include <stdint.h>

#ifdef __linux__
// Declared here, since the C library declares it for programs of GNU extensions only.
extern int sync_file_range(int descriptor, int64_t offset, int64_t count, unsigned int flags);
#endif

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
