#ifndef C_PROGRAM_TRACE_H
#define C_PROGRAM_TRACE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/// What to record, and where to.
struct program_trace_options {
    /// The folder whose changes are recorded: an absolute path without links.
    const char *folder;
    /// The command, for `sh -c`.
    const char *command;
    /// Whether the command is traced. Otherwise it only runs, with the same environment and limit of time.
    bool is_traced;
    /// A line of text for each event, and the bytes that its writes name.
    const char *log, *data;
    /// The file of acknowledged lines. The command has it as this descriptor.
    const char *acknowledgments;
    int acknowledgment_descriptor;
    /// The command's standard input, and its standard error.
    const char *input, *errors;
    /// The limits of a recording: recorded calls, their bytes, seconds.
    uint64_t call_limit, byte_limit;
    int seconds;
    /// Draws the order of the calls that processes make at the same time; 0 for the order in which they come.
    uint64_t order;
};

/// Whether programs can be traced on this system: Linux on x86-64 or aarch64.
bool program_trace_is_supported(void);

/// Starts a process that runs a command, and records what it and its children do to the folder. The log begins with the content
/// of the folder before the run, and ends with that after it. Returns the process, or -1.
pid_t program_trace_start(const struct program_trace_options *options);

/// Waits up to some milliseconds for a process that was started here. Returns whether it has ended, with its exit code, or with
/// the negative number of the signal that ended it. That of a traced command is in the log.
bool program_trace_wait(pid_t process, int milliseconds, int *status);

/// Ends a process that was started here, and everything that it traces.
void program_trace_stop(pid_t process);

/// How a check ended, other than with an exit code from 0 to 255 or with the negative number of a signal.
enum { program_check_timed_out = 1000, program_check_not_run = 1001 };

/// A process that runs a check on images, one after the other.
struct program_checker {
    pid_t process;
    /// Where images are written to, and answers are read from.
    int requests, answers;
};

/// Starts a checker. With a mount namespace, it mounts a file system in memory over the folder, which no other process sees.
/// Returns 0 or an error number: then this system does not permit the namespace.
int program_checker_start(
    struct program_checker *checker, const char *folder, const char *command, bool has_namespace, int seconds);

/// Ends a checker.
void program_checker_stop(struct program_checker *checker);

/// Makes a folder hold exactly an image. Returns 0 or an error number.
int program_checker_fill(const char *folder, const void *image, size_t length);

/// Removes everything in a folder.
int program_checker_clear(const char *folder);

#endif
