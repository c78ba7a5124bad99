/// The parts of the tracer, which runs in a process of its own with one thread.
#ifndef RECORDING_H
#define RECORDING_H

#define _GNU_SOURCE
#include "CProgramTrace.h"

#if defined(__linux__) && (defined(__x86_64__) || defined(__aarch64__))
#define PROGRAM_TRACE_IS_SUPPORTED 1

#include <limits.h>
#include <stdio.h>
#include <sys/stat.h>

enum { page_size = 4096, path_size = PATH_MAX + NAME_MAX + 64 };
/// Larger maps would have to be compared at each call.
static const off_t map_limit = 64 << 20;

/// Where a path leads to.
struct place {
    bool is_inside, exists;
    ino_t folder, inode;
    mode_t mode;
    off_t size;
    char path[path_size];
};

/// What a descriptor is open for.
struct opened {
    ino_t inode;
    int flags;
    off_t position, size;
    char path[path_size];
};

/// A thread of the recorded program.
struct task {
    pid_t thread, process;
    /// Whether it is in a recorded call.
    bool is_in_call;
    /// The call and its arguments.
    long call;
    uint64_t arguments[6];
    /// What has to be known before the call is made.
    struct place first, second;
    struct opened file;
    bool is_synchronous;
    char *bytes;
    size_t length;
    struct task *next;
};

// Log.c
extern char traced_folder[PATH_MAX];
bool log_open(const char *log, const char *data);
void log_event(pid_t process, const char *kind, const char *path, const char *format, ...)
    __attribute__((format(printf, 4, 5)));
void log_target(pid_t process, const char *kind, const char *path, const char *target, const char *format, ...)
    __attribute__((format(printf, 5, 6)));
const char *relative_path(const char *path);
uint64_t log_bytes(const void *bytes, size_t length);
void log_close(void);
extern uint64_t log_byte_count, log_call_count;
/// The recording ends: it would be of no use.
void refuse(pid_t process, const char *subject, const char *reason);
extern bool is_refused;

// Places.c
bool is_inside(const char *path);
bool read_memory(pid_t thread, uint64_t address, void *to, size_t length);
bool find_descriptor(const struct task *task, int descriptor, bool must_be_regular, struct opened *file);
bool find_place(const struct task *task, int folder, uint64_t address, bool follows_links, struct place *place);
/// The content of a folder as events: the names below it, or one name with everything below that.
void log_folder(pid_t process, const char *path, ino_t inode);
void log_tree(pid_t process, const char *path, ino_t folder);
void log_content(pid_t process, int descriptor, const char *path, ino_t inode);

// Maps.c
void watch_map(const struct task *task, int descriptor);
void compare_maps(void);
void follow_size(ino_t inode, size_t size);
void follow_write(ino_t inode, off_t offset, const char *bytes, size_t length);
void log_map_flush(const struct task *task, uint64_t address, uint64_t length);

// Calls.c
/// Whether a call may change the folder.
bool prepare_call(struct task *task);
void finish_call(struct task *task, int64_t result);
bool call_names_path(long call);
/// Logs the descriptors open for writing that a process or a call closes.
void log_closes(const struct task *task, unsigned first, unsigned last);

// Start.c
/// What this process was started for.
extern struct program_trace_options trace_options;
/// Becomes the command; a traced one waits for its tracer first.
void become_command(void) __attribute__((noreturn));

// Trace.c
/// Runs the command, and records what it and its children do.
void record_command(void);

// Filter.c
/// Lets the kernel stop this process at the calls that matter. Returns whether it does.
bool install_filter(void);

#else
#define PROGRAM_TRACE_IS_SUPPORTED 0
#endif
#endif
