/// Steps a child process from one system call to the next, by ptrace: so that it can be stopped, killed or continued
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

int process_steps_next(pid_t process, int *status) {
    int signal = 0;
    while (1) {
        // ESRCH: it is not stopped, which is so before the first stop only.
        if (ptrace(PTRACE_SYSCALL, process, NULL, (void *)(long)signal) != 0 && errno != ESRCH) return errno;
        int code = wait_for_stop(process, status);
        if (code != 0) return code;
        signal = WSTOPSIG(*status);
        if (signal == SIGSTOP) {
            // The child's offer. It is not to be stopped for good, and must not outlive this process.
            if (ptrace(PTRACE_SETOPTIONS, process, NULL, (void *)(PTRACE_O_TRACESYSGOOD | PTRACE_O_EXITKILL)) != 0) {
                return errno;
            }
            signal = 0;
        } else if (signal == (SIGTRAP | 0x80)) {
            // A call stops the child twice: before it is made, and after.
            struct __ptrace_syscall_info call;
            if (ptrace(PTRACE_GET_SYSCALL_INFO, process, (void *)sizeof call, &call) < 0) return errno;
            if (call.op == PTRACE_SYSCALL_INFO_ENTRY) return 0;
            signal = 0;
        }
    }
}

int process_steps_release(pid_t process) {
    return ptrace(PTRACE_DETACH, process, NULL, NULL) == 0 ? 0 : errno;
}

#else

int process_steps_offer(void) { return ENOTSUP; }
int process_steps_next(pid_t process, int *status) { (void)process; (void)status; return ENOTSUP; }
int process_steps_release(pid_t process) { (void)process; return ENOTSUP; }

#endif
