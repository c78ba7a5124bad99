#define _GNU_SOURCE

#include "CAllocationCount.h"

#include <stdatomic.h>
#include <stdlib.h>

static atomic_bool is_counting;
static atomic_uint_least64_t calls, bytes;

struct allocation_counts allocation_count_read(void)
{
    return (struct allocation_counts){atomic_load(&calls), atomic_load(&bytes)};
}

void allocation_count_begin(void)
{
    atomic_store(&calls, 0);
    atomic_store(&bytes, 0);
    atomic_store(&is_counting, true);
}

struct allocation_counts allocation_count_end(void)
{
    atomic_store(&is_counting, false);
    return allocation_count_read();
}

bool allocation_count_is_possible(void)
{
    allocation_count_begin();
    // Otherwise the compiler removes the call, since the memory is not used.
    void *volatile memory = malloc(1);
    free(memory);
    return allocation_count_end().calls > 0;
}

#if defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define HAS_SANITIZER 1
#endif
#endif

#if defined(__GLIBC__) && !defined(HAS_SANITIZER)

#include <dlfcn.h>
#include <errno.h>

/// The replaced definitions. They are looked up by name instead of called as `__libc_malloc` and so on, so that an
/// allocator loaded by LD_PRELOAD, or valgrind, gets all calls or none: it sees every `free`.
static struct {
    void *(*malloc)(size_t);
    void *(*calloc)(size_t, size_t);
    void *(*realloc)(void *, size_t);
    int (*posix_memalign)(void **, size_t, size_t);
    void *(*aligned_alloc)(size_t, size_t);
    void *(*memalign)(size_t, size_t);
    bool is_known, is_sought;
} next;

static void *counted_malloc(size_t);
extern void *__libc_malloc(size_t);
extern void *__libc_calloc(size_t, size_t);
extern void *__libc_realloc(void *, size_t);
extern void *__libc_memalign(size_t, size_t);

/// glibc exports no other name for its own.
static int libc_posix_memalign(void **memory, size_t alignment, size_t size)
{
    if (alignment % sizeof(void *) != 0 || (alignment & (alignment - 1)) != 0 || alignment == 0) return EINVAL;
    int error_before = errno;
    void *result = __libc_memalign(alignment, size);
    errno = error_before;
    if (result == NULL) return ENOMEM;
    *memory = result;
    return 0;
}

/// A program's first call comes long before its first thread, so this is not concurrent. Returns false for calls made
/// by the look-up itself: dlsym of an old glibc allocates memory, but works without.
static bool find_next(void)
{
    if (next.is_sought) return false;
    next.is_sought = true;
    if (malloc == counted_malloc) {
        next.malloc = dlsym(RTLD_NEXT, "malloc");
        next.calloc = dlsym(RTLD_NEXT, "calloc");
        next.realloc = dlsym(RTLD_NEXT, "realloc");
        next.posix_memalign = dlsym(RTLD_NEXT, "posix_memalign");
        next.aligned_alloc = dlsym(RTLD_NEXT, "aligned_alloc");
        next.memalign = dlsym(RTLD_NEXT, "memalign");
    } else {
        // A fully static program uses libc's own definitions except for weak ones.
        next.malloc = __libc_malloc;
        next.calloc = __libc_calloc;
        next.realloc = __libc_realloc;
        next.posix_memalign = libc_posix_memalign;
        next.aligned_alloc = next.memalign = __libc_memalign;
    }
    next.is_known = true;
    return true;
}

/// Counts a call. Returns false if it cannot be passed on.
static inline bool note(size_t size)
{
    if (__builtin_expect(atomic_load_explicit(&is_counting, memory_order_relaxed), false)) {
        atomic_fetch_add_explicit(&calls, 1, memory_order_relaxed);
        atomic_fetch_add_explicit(&bytes, size, memory_order_relaxed);
    }
    return __builtin_expect(next.is_known, true) || find_next();
}

static void *counted_malloc(size_t size) { return note(size) ? next.malloc(size) : NULL; }

static void *counted_calloc(size_t count, size_t size)
{
    return note(count * size) ? next.calloc(count, size) : NULL;
}

static void *counted_realloc(void *memory, size_t size) { return note(size) ? next.realloc(memory, size) : NULL; }

static int counted_posix_memalign(void **memory, size_t alignment, size_t size)
{
    return note(size) ? next.posix_memalign(memory, alignment, size) : ENOMEM;
}

static void *counted_aligned_alloc(size_t alignment, size_t size)
{
    return note(size) ? next.aligned_alloc(alignment, size) : NULL;
}

static void *counted_memalign(size_t alignment, size_t size)
{
    return note(size) ? next.memalign(alignment, size) : NULL;
}

// Weak, so that a fully static program, which contains libc's own definitions, can be linked.
#define TAKES_PLACE_OF(name) __attribute__((weak, visibility("default"), alias("counted_" #name)))

TAKES_PLACE_OF(malloc) void *malloc(size_t size);
TAKES_PLACE_OF(calloc) void *calloc(size_t count, size_t size);
TAKES_PLACE_OF(realloc) void *realloc(void *memory, size_t size);
TAKES_PLACE_OF(posix_memalign) int posix_memalign(void **memory, size_t alignment, size_t size);
TAKES_PLACE_OF(aligned_alloc) void *aligned_alloc(size_t alignment, size_t size);
TAKES_PLACE_OF(memalign) void *memalign(size_t alignment, size_t size);

#endif
