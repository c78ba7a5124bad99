/// The disk recorder and fault injector of the crash lab.
///
/// This target defines libc's file calls and passes each one on to the kernel. In a program that links it, its
/// definitions take precedence over libc's, also for liblmdb.so. Therefore it belongs in tests and the lab only,
/// never into a program that people run. It only passes calls on until a recording begins for a folder; then it logs
/// every call on files at or below that folder, with its bytes, and can make chosen calls fail. Reads through a map are
/// not calls; the pages read can be counted on request (Pages.c).
///
/// The log is in memory shared with forked children, so that the calls of several processes are logged in the order in
/// which they were made. A recorded call is made and logged under one lock. `errno` is preserved, since LMDB reads it
/// late.
///
/// Not recorded: calls within libc itself (fopen, mkstemp, opendir) and calls that nothing here needs:
/// symlink, dup, sendfile, io_uring. On systems other than 64-bit Linux nothing is recorded and nothing is replaced.
#ifndef DAYBOOK_DISK_LOG_H
#define DAYBOOK_DISK_LOG_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/// The kind of a log entry. Each kind stands for all of libc's variants of a call.
enum disk_log_kind {
    disk_log_open = 1,       ///< open, openat: flags in `flags`
    disk_log_close = 2,
    disk_log_write = 3,      ///< write, writev, pwrite, pwritev: what was written, and where in the file
    disk_log_resize = 4,     ///< ftruncate, truncate: the new size in `offset`
    disk_log_allocate = 5,   ///< fallocate, posix_fallocate: `offset` and `length`
    disk_log_rename = 6,     ///< rename, renameat, renameat2: from `path` to `other_path`; its flags in `flags`
    disk_log_remove = 7,     ///< unlink, unlinkat without AT_REMOVEDIR
    disk_log_make_folder = 8,    ///< mkdir, mkdirat
    disk_log_remove_folder = 9,  ///< rmdir, unlinkat with AT_REMOVEDIR
    disk_log_flush = 10,     ///< fsync, of a file or a folder
    disk_log_flush_data = 11,    ///< fdatasync
    disk_log_flush_map = 12, ///< msync; not tied to a file
    disk_log_map = 13,       ///< mmap of a file
    disk_log_link = 14,      ///< link, linkat: the file at `path` is at `other_path`, too
    disk_log_mark = 15,      ///< not a call: a note of the recording program, see `disk_log_note`
    disk_log_kind_count = 16
};

/// An entry of the log. It holds only numbers, so that any language can read it; bytes and paths are copied on request.
struct disk_log_entry {
    uint32_t kind;
    /// The process that made the call.
    int32_t process;
    /// The opening that the descriptor came from, counted from 1 in each recording; 0 for calls by path. An open entry
    /// has the number that it assigned. A file opened twice has two numbers.
    uint64_t file;
    /// The result of the call (0 for a map), and `errno` if it was -1.
    int64_t result;
    int32_t error;
    /// Flags of the open or of the rename; for writes, whether the descriptor is O_DSYNC or O_SYNC (1) or not (0); for
    /// a map, whether writes to it go to the file (1); for a mark, its kind.
    uint32_t flags;
    /// The position in the file (also for writes at the current position); a mark's value.
    int64_t offset;
    /// The number of requested bytes.
    uint64_t length;
    /// The number of logged bytes: those that were really written, even if a fault reported otherwise.
    uint64_t byte_count;
    /// Lengths of the paths, without links and dots, relative to the recorded folder, which has the empty path. Calls
    /// on a descriptor have none: see the open entry of their `file`. A rename across the folder's border has the
    /// complete path outside, with a leading slash.
    uint32_t path_length, other_path_length;
    /// The position of the entry's data, for `disk_log_copy_*`.
    uint64_t position;
};

// MARK: Recording

/// Begins a recording for an existing folder, with an empty log and no fault. Files that are already open are not
/// followed. Returns 0 or an errno value (EBUSY if a recording is in progress, ENOTSUP if recording is not possible).
/// Forked children of this process record to the same log.
int disk_log_begin(const char *folder);
/// Ends the recording for all its processes; the log stays readable until the next one begins.
void disk_log_end(void);
/// Ends recording and faults for this process only, which may then begin its own recording: for a forked child that
/// must not be recorded.
void disk_log_leave(void);
/// Appends a mark, if a recording is in progress.
void disk_log_note(uint32_t kind, int64_t value);
/// Reads the entry after a cursor that starts at 0; returns false at the end.
bool disk_log_next(uint64_t *cursor, struct disk_log_entry *entry);
/// Copies the written bytes, `byte_count` of them.
void disk_log_copy_bytes(const struct disk_log_entry *entry, uint8_t *into);
/// Copies a path, `path_length` (or `other_path_length`) bytes, without a terminator.
void disk_log_copy_path(const struct disk_log_entry *entry, uint8_t *into);
void disk_log_copy_other_path(const struct disk_log_entry *entry, uint8_t *into);
/// Whether the log was too small; the recording is then unusable.
bool disk_log_overflowed(void);

// MARK: Faults

enum disk_log_fault_effect {
    disk_log_fails = 0,          ///< the call is not made; returns -1 with the error
    disk_log_writes_short = 1,   ///< a write writes half of its bytes and returns their number (at least 1 byte is left out)
    disk_log_fails_after = 2,    ///< the call is made, and then reports the error all the same; opens and maps are undone
    disk_log_kills = 3,          ///< the process is killed before the call; counts writes and flushes, whatever the kind
};

/// Makes calls of a kind fail: the `first`-th from now on (counted from 1), and `count` consecutive ones (0 for all
/// that follow). Only calls on the recorded folder count, and writes can be limited to those on O_DSYNC descriptors
/// (LMDB's meta pages) or to all others. A new fault replaces the previous one; without a recording none can be set.
struct disk_log_fault {
    uint32_t kind;
    uint32_t effect;
    uint64_t first;
    uint64_t count;
    int32_t error;
    /// For writes: 0 any, 1 synchronous descriptors only, 2 others only. For opens: 0 any, 1 only those that may write.
    uint32_t only;
};

void disk_log_set_fault(const struct disk_log_fault *fault);
void disk_log_clear_fault(void);
/// How many calls the fault has matched so far, and how many of them it made fail.
uint64_t disk_log_fault_met(void);
uint64_t disk_log_fault_hit(void);

// MARK: Pages

/// Begins to count the distinct pages of a file's map that any thread of this process reads, starting at page
/// `first_page` (counted from 0). The file must have been opened and mapped, shared and read-only, since the recording
/// began, as LMDB maps its data file. The count continues in the new map when the file is mapped again, as when LMDB's
/// map grows. There is one watch at a time, for one process: reads of a forked child are not counted.
///
/// Only reads by the program are counted: a system call that is passed memory of the map fails with EFAULT during the
/// watch. (LMDB writes from its own memory unless opened with MDB_WRITEMAP.) Until the program ends, SIGSEGV is handled
/// here first; other faults are passed to the previous handler.
///
/// Returns 0 or an errno value: ENOENT without such a map or a recording, EBUSY if a watch is in progress, ENOTSUP if
/// nothing can be recorded or if pages of that size cannot be distinguished, since the system's are larger.
int disk_log_watch_pages_begin(const char *file, size_t page_size, size_t first_page);
/// Ends the watch and returns the number of pages read. Returns 0 or an errno value: ENOENT if the file was closed
/// during the watch, ENOMEM if the system could not protect so many separate pages. The count is then unusable.
int disk_log_watch_pages_end(uint64_t *count);

// MARK: Processes

/// `fork`, which Swift does not offer. The child of a process with several threads has only the calling one and must
/// not use anything that needs the others.
pid_t disk_log_fork(void);

/// Forks as above, but the child is process 1 of a new PID namespace, and ends with this process. -1 with `errno` where the
/// system permits no namespaces.
pid_t disk_log_fork_in_namespace(void);

// MARK: Steps

/// Lets the parent step this forked child: stops it until the parent calls one of the functions below. Returns 0, or an
/// errno value if that is not possible.
int process_steps_offer(void);
/// Waits for a child's `process_steps_offer`. Returns 0; -1 if the child has ended, with the status of waitpid in
/// `status`; or an errno value.
int process_steps_accept(pid_t process, int *status);
/// Lets a child run to the beginning of its next system call, which is not made yet. Returns the same values as
/// `process_steps_accept`.
int process_steps_next(pid_t process, int *status);
/// Lets a child run freely. Returns 0 or an errno value.
int process_steps_release(pid_t process);

#endif
