/// Runs a command under seccomp and ptrace. Recorded calls are made one at a time, so that their order in the log is the order in
/// which they happened.
#include "Recording.h"

#if PROGRAM_TRACE_IS_SUPPORTED

#include "Machine.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/ptrace.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

/// A recorded call that takes longer waits for another process, as a copy from a pipe does: the others continue.
static const int ticks_of_blocked_call = 10;
static const int tick_milliseconds = 50;

static struct task *tasks;
/// The task in a recorded call.
static struct task *current;
static int current_ticks;
/// The tasks whose calls have to wait.
enum { queue_limit = 4096 };
static struct task *queue[queue_limit];
static int queued;

/// The largest memory that a process had at its end, in kibibytes.
static long peak_memory;

static int acknowledgment_file;
static uint64_t first_call;

/// The state of the generator that draws the order of calls (xorshift64).
static uint64_t order;

static uint64_t draw(void) {
    order ^= order << 13;
    order ^= order >> 7;
    return order ^= order << 17;
}

// MARK: Acknowledgments

/// A line that is in the file before a call is older than the call.
static void take_acknowledgments(bool is_end) {
    static char line[65536];
    static size_t used;
    static off_t end;
    char bytes[65536];
    ssize_t count;
    int lines = 0;
    while ((count = pread(acknowledgment_file, bytes, sizeof bytes, end)) > 0) {
        end += count;
        for (ssize_t index = 0; index < count; index++) {
            if (bytes[index] != '\n') {
                if (used < sizeof line - 1) line[used++] = bytes[index];
                continue;
            }
            line[used] = 0;
            used = 0;
            lines++;
            log_target(0, "ack", ".", line, "line=1");
        }
    }
    if (is_end && used > 0) {
        line[used] = 0;
        log_target(0, "ack", ".", line, "line=1");
    }
    if (lines > 1) log_event(0, "together", ".", "lines=%d", lines);
}

// MARK: Tasks

/// A number in the kernel's description of a thread; 0 if it has none.
static long number_of(pid_t thread, const char *key) {
    char name[64], line[256];
    long number = 0;
    snprintf(name, sizeof name, "/proc/%d/status", thread);
    FILE *status = fopen(name, "re");
    while (status && fgets(line, sizeof line, status)) {
        if (!strncmp(line, key, strlen(key))) number = atol(line + strlen(key));
    }
    if (status) fclose(status);
    return number;
}

static struct task *task_of(pid_t thread) {
    struct task *task = tasks;
    while (task && task->thread != thread) task = task->next;
    if (task) return task;
    task = calloc(1, sizeof *task);
    if (!task) _exit(4);
    task->thread = thread;
    task->next = tasks;
    tasks = task;
    pid_t process = (pid_t)number_of(thread, "Tgid:");
    task->process = process ? process : thread;
    return task;
}

static void remove_from_queue(int index) {
    memmove(queue + index, queue + index + 1, sizeof *queue * (--queued - index));
}

static void forget(struct task *task) {
    struct task **place = &tasks;
    while (*place && *place != task) place = &(*place)->next;
    if (*place) *place = task->next;
    for (int index = queued - 1; index >= 0; index--) {
        if (queue[index] == task) remove_from_queue(index);
    }
    if (current == task) current = NULL;
    free(task->bytes);
    free(task);
}

static void resume(const struct task *task, int signal) {
    ptrace(task->is_in_call ? PTRACE_SYSCALL : PTRACE_CONT, task->thread, 0, (long)signal);
}

// MARK: Calls

static void begin(struct task *task) {
    compare_maps();
    take_acknowledgments(false);
    if (!prepare_call(task)) {
        resume(task, 0);
        return;
    }
    switch (task->call) {
    case SYS_close:
    case SYS_dup2:
    case SYS_dup3:
        log_event(task->process, "close", task->file.path, "ino=%lu", (unsigned long)task->file.inode);
        resume(task, 0);
        return;
    case SYS_close_range:
        // A range may also be marked only, to be closed by exec.
        if (!(task->arguments[2] & 4)) log_closes(task, (unsigned)task->arguments[0], (unsigned)task->arguments[1]);
        resume(task, 0);
        return;
    }
    current = task;
    current_ticks = 0;
    task->is_in_call = true;
    resume(task, 0);
}

static void begin_next(void) {
    while (!current && queued > 0) {
        int index = order ? (int)(draw() % (uint64_t)queued) : 0;
        struct task *task = queue[index];
        remove_from_queue(index);
        begin(task);
    }
}

/// Whether a call waits for those of other processes, although none is in progress: until one ends, or until the next tick.
static bool is_held_back(struct task *task) { return order && prepare_call(task) && draw() % 2 == 0; }

/// Whether a call is dealt with at once, whatever the folder.
static bool is_denied(struct task *task) {
    switch (task->call) {
    case SYS_io_setup:
    case SYS_io_uring_setup:
        // As on a kernel that has none: most programs then use plain calls.
        log_event(task->process, "note", ".", "%s=1", task->call == SYS_io_setup ? "aio-denied" : "io-uring-denied");
        machine_deny(task->thread, ENOSYS);
        return true;
    case SYS_chroot:
    case SYS_pivot_root:
    case SYS_mount: refuse(task->process, "chroot or mount", "paths cannot be followed after it"); return true;
    case SYS_open_by_handle_at: refuse(task->process, "open_by_handle_at", "a file without a path cannot be followed"); return true;
    }
    return false;
}

static void enter(struct task *task) {
    struct __ptrace_syscall_info information;
    if (ptrace(PTRACE_GET_SYSCALL_INFO, task->thread, sizeof information, &information) < 0) {
        resume(task, 0);
        return;
    }
    task->call = (long)information.seccomp.nr;
    for (int index = 0; index < 6; index++) task->arguments[index] = information.seccomp.args[index];
    bool is_foreign = information.arch != MACHINE_ARCHITECTURE;
#ifdef MACHINE_FOREIGN_CALLS
    is_foreign = is_foreign || (task->call & MACHINE_FOREIGN_CALLS);
#endif
    if (is_foreign) {
        refuse(task->process, "32-bit program", "only 64-bit programs can be traced");
        return;
    }
    if (is_denied(task)) {
        resume(task, 0);
        return;
    }
    // Whether a path leads into the folder may change with the call in progress. A descriptor leads where it leads.
    if (current && !call_names_path(task->call) && !prepare_call(task)) {
        resume(task, 0);
    } else if (current || is_held_back(task)) {
        if (queued == queue_limit) {
            refuse(task->process, "threads", "more than 4,096 change files at the same time");
            return;
        }
        queue[queued++] = task;
    } else {
        begin(task);
    }
}

static void leave(struct task *task) {
    struct __ptrace_syscall_info information;
    int64_t result = -1;
    if (ptrace(PTRACE_GET_SYSCALL_INFO, task->thread, sizeof information, &information) > 0
        && information.op == PTRACE_SYSCALL_INFO_EXIT) {
        result = information.exit.rval;
    }
    finish_call(task, result);
    task->is_in_call = false;
    if (current == task) current = NULL;
    resume(task, 0);
    begin_next();
}

static void leave_process(struct task *task) {
    // A first thread may end before the others: each of them knows the memory of all.
    long memory = number_of(task->thread, "VmHWM:");
    if (memory > peak_memory) peak_memory = memory;
    compare_maps();
    take_acknowledgments(false);
    if (task->thread == task->process) log_closes(task, 0, ~0u);
}

/// A thread that is not the first one takes the number of the process with exec; the others are gone.
static void follow_exec(struct task *task) {
    unsigned long former = 0;
    if (ptrace(PTRACE_GETEVENTMSG, task->thread, 0, &former) != 0 || (pid_t)former == task->thread) return;
    for (struct task *other = tasks; other; other = other->next) {
        if (other->thread != (pid_t)former) continue;
        forget(other);
        break;
    }
    task->is_in_call = false;
    if (current == task) current = NULL;
}

static void stop_at(struct task *task, int status) {
    int signal = WSTOPSIG(status), event = (unsigned)status >> 16;
    if (event == PTRACE_EVENT_SECCOMP) {
        enter(task);
    } else if (signal == (SIGTRAP | 0x80)) {
        if (task->is_in_call) {
            leave(task);
        } else {
            resume(task, 0);
        }
    } else if (event == PTRACE_EVENT_EXIT) {
        leave_process(task);
        resume(task, 0);
    } else if (event == PTRACE_EVENT_EXEC) {
        follow_exec(task);
        resume(task, 0);
        begin_next();
    } else if (event == PTRACE_EVENT_STOP && signal != SIGTRAP) {
        // A program that is stopped by a signal stays so until it is continued.
        ptrace(PTRACE_LISTEN, task->thread, 0, 0);
    } else {
        resume(task, event ? 0 : signal);
    }
}

// MARK: The run

static double seconds_now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + (double)time.tv_nsec / 1e9;
}

static void tick(int signal) { (void)signal; }

static void check_limits(double started) {
    if (current && queued > 0 && ++current_ticks > ticks_of_blocked_call) {
        current = NULL;
        begin_next();
    }
    if (log_call_count - first_call > trace_options.call_limit) refuse(0, "recording", "it has too many calls");
    if (log_byte_count > trace_options.byte_limit) refuse(0, "recording", "it has too many bytes");
    if (seconds_now() - started > trace_options.seconds) refuse(0, "recording", "the command took too long");
}

/// Follows the command to the end of its last process; returns its exit code, or the negative number of a signal.
static int follow(pid_t command, double started) {
    int status, result = -SIGKILL;
    while (!is_refused) {
        pid_t thread = waitpid(-1, &status, __WALL);
        if (thread < 0 && errno != EINTR) break;
        check_limits(started);
        if (thread < 0) {
            begin_next();
            continue;
        }
        struct task *task = task_of(thread);
        if (!WIFEXITED(status) && !WIFSIGNALED(status)) {
            stop_at(task, status);
            continue;
        }
        if (thread == command) result = WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
        forget(task);
        begin_next();
    }
    return result;
}

void record_command(void) {
    int status;
    struct stat folder;
    double started = seconds_now();
    if (!log_open(trace_options.log, trace_options.data) || stat(trace_options.folder, &folder) != 0) _exit(4);
    snprintf(traced_folder, sizeof traced_folder, "%s", trace_options.folder);
    acknowledgment_file = open(trace_options.acknowledgments, O_RDONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    if (acknowledgment_file < 0) _exit(4);
    log_event(0, "root", ".", "ino=%lu", (unsigned long)folder.st_ino);
    log_folder(0, traced_folder, folder.st_ino);
    log_event(0, "begin", ".", "ino=%lu", (unsigned long)folder.st_ino);
    first_call = log_call_count;
    order = trace_options.order;
    pid_t command = fork();
    if (command == 0) become_command();
    long traced = PTRACE_O_TRACESYSGOOD | PTRACE_O_TRACESECCOMP | PTRACE_O_TRACEFORK | PTRACE_O_TRACEVFORK
        | PTRACE_O_TRACECLONE | PTRACE_O_TRACEEXEC | PTRACE_O_TRACEEXIT | PTRACE_O_EXITKILL;
    int result = 125;
    if (command < 0 || waitpid(command, &status, WUNTRACED) != command || !WIFSTOPPED(status)
        || ptrace(PTRACE_SEIZE, command, 0, traced) != 0) {
        refuse(0, "ptrace", "this system does not permit to trace a program");
        if (command > 0) kill(command, SIGKILL);
    } else {
        struct sigaction action = {.sa_handler = tick};
        struct itimerval interval = {{0, tick_milliseconds * 1000}, {0, tick_milliseconds * 1000}};
        sigaction(SIGALRM, &action, NULL);
        setitimer(ITIMER_REAL, &interval, NULL);
        kill(command, SIGCONT);
        result = follow(command, started);
        setitimer(ITIMER_REAL, &(struct itimerval){0}, NULL);
        compare_maps();
        take_acknowledgments(true);
    }
    if (result == 125) refuse(0, "seccomp", "this system does not permit to trace a program");
    log_event(0, "end", ".", "status=%d us=%lld memory=%ld", result, (long long)((seconds_now() - started) * 1e6), peak_memory);
    // What the folder holds now, for the comparison.
    if (!is_refused) log_folder(0, traced_folder, folder.st_ino);
    log_event(0, "complete", ".", "refused=%d", is_refused);
    log_close();
}

#endif
