/// Counts memory allocations for `daybook bench`.
///
/// This target defines malloc and its variants and passes each call on to the next definition: libc's, or that of a
/// preloaded allocator. In a program that links it, its definitions take precedence for every library. Until counting
/// begins it only passes calls on, and it takes no locks, so that forked children and signal handlers work as before.
/// `free` is not replaced.
///
/// Nothing is counted in a fully static program, which uses libc's own definitions; under the address and thread
/// sanitizers, which bring their own; and on systems without glibc.
#ifndef DAYBOOK_ALLOCATION_COUNT_H
#define DAYBOOK_ALLOCATION_COUNT_H

#include <stdbool.h>
#include <stdint.h>

struct allocation_counts {
    /// Calls of malloc, calloc, realloc, posix_memalign, aligned_alloc and memalign on all threads.
    uint64_t calls;
    /// The number of requested bytes; for a realloc the new size.
    uint64_t bytes;
};

/// Whether this program's calls are counted. Tries it, so call it before counting begins.
bool allocation_count_is_possible(void);
/// Begins to count from zero, on all threads. One count at a time.
void allocation_count_begin(void);
/// Returns the counts since the beginning; counting continues.
struct allocation_counts allocation_count_read(void);
/// Ends counting and returns the counts.
struct allocation_counts allocation_count_end(void);

#endif
