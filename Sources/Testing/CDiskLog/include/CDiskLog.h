/// The disk recorder and fault injector of the crash lab.
///
/// This target defines libc's file calls itself and passes each one on to the kernel. Linked into a program or a test it
/// takes precedence over libc for liblmdb.so, too. It does nothing but pass on until a recording is begun for a folder;
/// then it logs every call on files at or below that folder, with its bytes, and it can make chosen calls fail. What is
/// read through a map is no call; the pages looked at can be counted on request (Pages.c).
///
/// The log lies in memory that forked children share, so that calls of several processes stand in it in the order in
/// which they were made. A recorded call is made and logged under one lock. `errno` is left as the call left it, since
/// LMDB reads it late.
///
/// Not seen is what libc does within itself (fopen, mkstemp, posix_fallocate, opendir) and what nothing here needs:
/// symlink, dup, sendfile, io_uring. On other systems than 64-bit Linux nothing is recorded and nothing replaced.
#ifndef DAYBOOK_DISK_LOG_H
#define DAYBOOK_DISK_LOG_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/// What a log entry is of. Each kind of call stands for all of libc's names of it.
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
    disk_log_mark = 15,      ///< not a call: something that the recording program says, see `disk_log_note`
    disk_log_kind_count = 16
};

/// One entry of the log. Numbers only, so that any language can read it; bytes and paths are copied out on request.
struct disk_log_entry {
    uint32_t kind;
    /// The process that made the call.
    int32_t process;
    /// Which opening of a file the descriptor came from, counted from 1 over the recording; 0 for calls by path. An open
    /// entry has the number that it gave out. The same file opened twice has two numbers.
    uint64_t file;
    /// What the call returned (for a map 0), and `errno` where that was -1.
    int64_t result;
    int32_t error;
    /// Flags of the open, or of the rename; for writes, whether the descriptor is O_DSYNC or O_SYNC (1) or not (0); for a map, whether what
    /// is written into it goes to the file (1); for a mark, its kind.
    uint32_t flags;
    /// Where in the file the bytes went (also for writes that moved a position along); a mark's value.
    int64_t offset;
    /// How many bytes were asked for.
    uint64_t length;
    /// How many bytes were logged: those that were really written, also when a fault then said otherwise.
    uint64_t byte_count;
    /// Lengths of the paths, without links and dots, relative to the recorded folder; the folder itself has the empty path.
    /// Calls on a descriptor have none: the open entry of their `file` has it. A rename over the folder's border shows the
    /// path outside in full, with its slash in front.
    uint32_t path_length, other_path_length;
    /// Where the entry's data lies, for `disk_log_copy_*`.
    uint64_t position;
};

// MARK: Recording

/// Begins a recording for a folder that exists; the log is empty then, and no fault is set. Files that are open already are
/// not followed. Returns 0 or an errno value (EBUSY while one is going on, ENOTSUP where none can be). Forked children of
/// this process record into the same log.
int disk_log_begin(const char *folder);
/// Ends the recording, for all its processes; the log stays readable until the next one begins.
void disk_log_end(void);
/// Ends recording and faults for this process alone, which lets go of the log and may begin a recording of its own: for a
/// forked child that must not be recorded.
void disk_log_leave(void);
/// Appends a mark. Nothing when no recording is going on.
void disk_log_note(uint32_t kind, int64_t value);
/// The entry after a cursor that starts at 0; false at the end.
bool disk_log_next(uint64_t *cursor, struct disk_log_entry *entry);
/// Copies what was written, `byte_count` bytes.
void disk_log_copy_bytes(const struct disk_log_entry *entry, uint8_t *into);
/// Copies a path, `path_length` (or `other_path_length`) bytes, without a terminator.
void disk_log_copy_path(const struct disk_log_entry *entry, uint8_t *into);
void disk_log_copy_other_path(const struct disk_log_entry *entry, uint8_t *into);
/// Whether the log was too small for everything; the recording is then worth nothing.
bool disk_log_overflowed(void);

// MARK: Faults

enum disk_log_fault_effect {
    disk_log_fails = 0,          ///< the call is not made; returns -1 with the error
    disk_log_writes_short = 1,   ///< a write writes half of its bytes and returns their number (at least 1 byte is left out)
    disk_log_fails_after = 2,    ///< the call is made, and then reports the error all the same; opens and maps are undone
};

/// Makes calls of a kind fail: the `first`-th from now on (counted from 1), and `count` in a row (0 for all that follow).
/// Only calls on the recorded folder count, and writes can be limited to those on O_DSYNC descriptors (LMDB's meta pages)
/// or to all others. A fault that is set takes the place of the one before; without a recording none can be set.
struct disk_log_fault {
    uint32_t kind;
    uint32_t effect;
    uint64_t first;
    uint64_t count;
    int32_t error;
    /// For writes: 0 any, 1 synchronous descriptors only, 2 others only. For opens: 0 any, 1 those that may write only.
    uint32_t only;
};

void disk_log_set_fault(const struct disk_log_fault *fault);
void disk_log_clear_fault(void);
/// How many calls the fault has met so far, and how many of them it made fail.
uint64_t disk_log_fault_met(void);
uint64_t disk_log_fault_hit(void);

// MARK: Pages

/// Begins to count the pages of a file's map that are looked at, on any thread of this process, each once; the pages
/// before `first_page` (counted from 0) are left out. The file must have been opened and mapped, shared and for reading
/// only, since the recording began, as LMDB maps its data file. The count goes on in the new map when the file is mapped
/// again, as when LMDB's map grows. One watch at a time, for one process: what a forked child looks at is not counted.
///
/// Looks by the program are counted, not those by the system: a system call that is given memory of the map fails with
/// EFAULT meanwhile. (LMDB writes from memory of its own unless it is opened with MDB_WRITEMAP.) Until the program ends
/// SIGSEGV is handled here first; faults that are not the watch's are left to the handler before.
///
/// Returns 0 or an errno value: ENOENT without such a map or a recording, EBUSY while a watch is on, ENOTSUP where nothing
/// is recorded and where pages of that size cannot be told apart, since the system's own are larger.
int disk_log_watch_pages_begin(const char *file, size_t page_size, size_t first_page);
/// Ends it and tells how many pages were looked at. Returns 0 or an errno value: ENOENT when the file was closed before,
/// ENOMEM when the system could not keep so many pages apart. The count is worth nothing then.
int disk_log_watch_pages_end(uint64_t *count);

// MARK: Processes

/// `fork`, which Swift does not offer. The child of a process with several threads has the calling one only: it must not
/// use what needs the others.
pid_t disk_log_fork(void);

// MARK: Steps

/// Lets the parent step this process: stops it until the parent calls one of the functions below. For a forked child.
/// Returns 0, or an errno value where that is not possible.
int process_steps_offer(void);
/// Waits for a child's `process_steps_offer`. Returns 0 then; -1 when the child has ended, with what waitpid says in
/// `status`; or an errno value.
int process_steps_accept(pid_t process, int *status);
/// Lets a child run to the beginning of its next system call, which is not made yet. Returns as `process_steps_accept`.
int process_steps_next(pid_t process, int *status);
/// Lets a child run on by itself. Returns 0 or an errno value.
int process_steps_release(pid_t process);

#endif
