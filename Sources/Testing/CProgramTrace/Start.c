/// Starts the process that records a command or only runs it, and waits for its end.
#include "Recording.h"

#include <errno.h>

#if PROGRAM_TRACE_IS_SUPPORTED

#include "Environment.h"

#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>

struct program_trace_options trace_options;

static void open_as(const char *path, int flags, int descriptor) {
    int opened = open(path ? path : "/dev/null", flags, 0600);
    if (opened < 0) _exit(126);
    if (opened == descriptor) return;
    if (dup2(opened, descriptor) < 0) _exit(126);
    close(opened);
}

void become_command(void) {
    int number = trace_options.acknowledgment_descriptor;
    open_as(trace_options.input, O_RDONLY, 0);
    if (number != 1) open_as(NULL, O_WRONLY, 1);
    if (number != 2) open_as(trace_options.errors, O_WRONLY | O_CREAT | O_APPEND, 2);
    open_as(trace_options.acknowledgments, O_WRONLY | O_APPEND, number);
    if (chdir(trace_options.folder) != 0) _exit(126);
    prepare_environment(trace_options.folder, number);
    if (trace_options.is_traced) {
        raise(SIGSTOP);
        if (!install_filter()) _exit(125);
    }
    execl("/bin/sh", "sh", "-c", trace_options.command, (char *)NULL);
    _exit(127);
}

/// The kernel ends the command if it takes too long.
static void run_untraced(void) {
    int file = open(trace_options.acknowledgments, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    if (file < 0) _exit(126);
    close(file);
    alarm(trace_options.seconds);
    become_command();
}

bool program_trace_is_supported(void) { return true; }

pid_t program_trace_start(const struct program_trace_options *given) {
    pid_t process = fork();
    if (process != 0) return process;
    trace_options = *given;
    // The keys of the terminal end the lab, which then ends this process.
    setpgid(0, 0);
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    signal(SIGINT, SIG_DFL);
    signal(SIGTERM, SIG_DFL);
    signal(SIGPIPE, SIG_DFL);
    sigset_t none;
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, NULL);
    if (trace_options.is_traced) {
        record_command();
        _exit(0);
    }
    run_untraced();
    _exit(126);
}

bool program_trace_wait(pid_t process, int milliseconds, int *status) {
    int descriptor = (int)syscall(SYS_pidfd_open, process, 0);
    if (descriptor >= 0) {
        struct pollfd end = {.fd = descriptor, .events = POLLIN};
        poll(&end, 1, milliseconds);
        close(descriptor);
    }
    int found;
    if (waitpid(process, &found, descriptor >= 0 ? WNOHANG : 0) != process) return false;
    *status = WIFEXITED(found) ? WEXITSTATUS(found) : -WTERMSIG(found);
    return true;
}

void program_trace_stop(pid_t process) {
    kill(process, SIGKILL);
    // It was the first of its group, in which an untraced command has its children.
    kill(-process, SIGKILL);
    waitpid(process, NULL, 0);
}

#else

bool program_trace_is_supported(void) { return false; }

pid_t program_trace_start(const struct program_trace_options *options) {
    (void)options;
    errno = ENOTSUP;
    return -1;
}

bool program_trace_wait(pid_t process, int milliseconds, int *status) {
    (void)process, (void)milliseconds, (void)status;
    return true;
}

void program_trace_stop(pid_t process) { (void)process; }

#endif
