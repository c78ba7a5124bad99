/// Counts how often memory is asked for, for `daybook bench`.
///
/// This target defines malloc and its kin itself and passes each call on to the next definition: libc's, or that of an
/// allocator that the user has loaded in its place. Linked into a program it takes precedence over libc for every library
/// that the program uses. It does nothing but pass on until counting begins, and it takes no locks, so that a forked child
/// and a signal handler can go on as before. `free` needs no part in it and has none.
///
/// Nothing is counted in a fully static program, where libc's own definitions are taken; under the address and thread
/// sanitizers, which bring their own; and on systems without glibc.
#ifndef DAYBOOK_ALLOCATION_COUNT_H
#define DAYBOOK_ALLOCATION_COUNT_H

#include <stdbool.h>
#include <stdint.h>

struct allocation_counts {
    /// Calls of malloc, calloc, realloc, posix_memalign, aligned_alloc and memalign, on all threads.
    uint64_t calls;
    /// How many bytes they asked for; of a realloc the new size.
    uint64_t bytes;
};

/// Whether this program's calls come by here: tries it, so ask before counting begins.
bool allocation_count_is_possible(void);
/// Begins to count from zero, on all threads. One count at a time.
void allocation_count_begin(void);
/// What was counted since the beginning. Counting goes on.
struct allocation_counts allocation_count_read(void);
/// Ends counting and gives what was counted.
struct allocation_counts allocation_count_end(void);

#endif
