/// Shared by the files of this target: the state of the recording, and a call on its way to the kernel and the log.
#ifndef DAYBOOK_RECORDING_H
#define DAYBOOK_RECORDING_H

// Calls go directly to the kernel, not through dlsym(RTLD_NEXT): a fully static program has no next definition. On a
// 32-bit system, offsets would need two arguments.
#if defined(__linux__) && defined(__LP64__)
#define DISK_LOG_IS_SUPPORTED 1
#define _GNU_SOURCE

#include <limits.h>
#include <pthread.h>
#include <stdatomic.h>
#include <sys/uio.h>

#include "CDiskLog.h"

// A sanitizer calls some of these functions before it is ready for instrumented code.
#pragma clang attribute push(__attribute__((disable_sanitizer_instrumentation)), apply_to = function)

/// At the beginning of the memory shared with forked children; the log follows it.
struct disk_log_shared {
    pthread_mutex_t lock;
    /// Counts recordings, so that a child left over from an earlier one does not write to a later one.
    uint32_t generation;
    bool is_recording;
    bool has_overflowed;
    bool has_fault;
    struct disk_log_fault fault;
    uint64_t fault_met, fault_hit;
    /// The number of the last opening.
    uint64_t files;
    /// The bytes of the log in use. Grows when an entry is complete, so that an entry cut off by a kill does not exist,
    /// and so that reading needs no lock.
    atomic_uint_least64_t used;
    size_t folder_length;
    char folder[PATH_MAX];
};

/// A call: the request to the kernel, and what the log needs before it is made.
struct disk_log_call {
    long number;
    long arguments[6];
    struct disk_log_entry entry;
    /// The bytes of a write.
    const struct iovec *parts;
    int part_count;
    /// Selects faults, as in `disk_log_fault.only`; 0 for kinds without such a choice.
    uint32_t category;
    /// As returned by `disk_log_resolve`; NULL for none.
    const char *path, *other_path;
};

// MARK: The log (Log.c)

/// The recording that this process takes part in; 0 without one. Checking it is the only cost while nothing is
/// recorded.
extern atomic_uint disk_log_generation;
extern struct disk_log_shared *disk_log_shared;

static inline bool disk_log_is_armed(void)
{
    return atomic_load_explicit(&disk_log_generation, memory_order_acquire) != 0;
}

/// Takes the lock. Returns false, without the lock, if this process's calls are not recorded.
bool disk_log_enter(void);
void disk_log_exit(void);
/// Appends a call's entry with its paths and the first `byte_count` bytes of its parts.
void disk_log_append(struct disk_log_call *call);

// MARK: Faults (Faults.c)

long disk_log_ask_kernel(const struct disk_log_call *call);
/// Makes a call, or what a fault leaves of it; sets result, error and byte count of its entry. Leaves `errno` as after
/// the call. Returns what the call really did, which differs from the entry's result only if a fault is injected.
long disk_log_make(struct disk_log_call *call);

// MARK: Descriptors and paths (Files.c)

/// Whether a descriptor may belong to the recorded folder: a quick check without the lock.
bool disk_log_may_follow(int descriptor);
/// Returns the opening that a descriptor came from; 0 if it is not in the recorded folder.
uint64_t disk_log_file(int descriptor);
void disk_log_follow(int descriptor, uint64_t file);
void disk_log_forget(int descriptor);
void disk_log_forget_all(void);
/// Writes a path without links and dots to `resolved`; returns whether it is at or below the recorded folder. Follows a
/// link in the last component only if `follows_link`.
bool disk_log_resolve(int folder, const char *path, bool follows_link, char resolved[PATH_MAX]);
/// Returns the path as logged: relative to the recorded folder, or complete if it lies outside.
const char *disk_log_shown(const char *resolved);

// MARK: Maps (Pages.c); with the lock

/// Remembers where an opening was mapped for reading, replacing its previous map.
void disk_log_note_map(uint64_t file, int descriptor, void *start, size_t length);
void disk_log_forget_map(uint64_t file);
/// Also ends a watch.
void disk_log_forget_maps(void);

#endif
#endif
