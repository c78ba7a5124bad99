/// Steps a child process from one system call to the next with ptrace, so that it can be stopped, killed or continued
/// between any two of them.
#include "CDiskLog.h"

#include <errno.h>

#if defined(__linux__)

#include <signal.h>
#include <stddef.h>
#include <sys/ptrace.h>
#include <sys/wait.h>
#include <unistd.h>

int process_steps_offer(void) {
    if (ptrace(PTRACE_TRACEME, 0, NULL, NULL) != 0) return errno;
    return raise(SIGSTOP) == 0 ? 0 : errno;
}

static int wait_for_stop(pid_t process, int *status) {
    while (waitpid(process, status, 0) < 0) {
        if (errno != EINTR) return errno;
    }
    return WIFSTOPPED(*status) ? 0 : -1;
}

int process_steps_accept(pid_t process, int *status) {
    int code = wait_for_stop(process, status);
    if (code != 0) return code;
    // Distinguishes system calls from signals, and ends the child together with this process.
    void *options = (void *)(PTRACE_O_TRACESYSGOOD | PTRACE_O_EXITKILL);
    return ptrace(PTRACE_SETOPTIONS, process, NULL, options) == 0 ? 0 : errno;
}

int process_steps_next(pid_t process, int *status) {
    int signal = 0;
    while (1) {
        if (ptrace(PTRACE_SYSCALL, process, NULL, (void *)(long)signal) != 0) return errno;
        int code = wait_for_stop(process, status);
        if (code != 0) return code;
        signal = WSTOPSIG(*status);
        if (signal != (SIGTRAP | 0x80)) continue;
        // A call stops the child twice: before it is made and after.
        signal = 0;
        struct __ptrace_syscall_info call;
        if (ptrace(PTRACE_GET_SYSCALL_INFO, process, (void *)sizeof call, &call) < 0) return errno;
        if (call.op == PTRACE_SYSCALL_INFO_ENTRY) return 0;
    }
}

int process_steps_release(pid_t process) {
    return ptrace(PTRACE_DETACH, process, NULL, NULL) == 0 ? 0 : errno;
}

#else

int process_steps_offer(void) { return ENOTSUP; }
int process_steps_accept(pid_t process, int *status) { (void)process; (void)status; return ENOTSUP; }
int process_steps_next(pid_t process, int *status) { (void)process; (void)status; return ENOTSUP; }
int process_steps_release(pid_t process) { (void)process; return ENOTSUP; }

#endif
