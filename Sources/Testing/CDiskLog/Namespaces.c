/// Forks children into PID namespaces of their own, as the first processes of containers are.
#define _GNU_SOURCE
#include "CDiskLog.h"

#include <errno.h>

#if defined(__linux__)

#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <sys/prctl.h>
#include <unistd.h>

pid_t disk_log_fork_in_namespace(void) {
    int armed[2] = {-1, -1};
    char byte = 0;
    int own = open("/proc/self/ns/pid", O_RDONLY | O_CLOEXEC);
    if (own < 0) return -1;
    // Only for children: this process stays where it is.
    if (pipe2(armed, O_CLOEXEC) != 0 || unshare(CLONE_NEWPID) != 0) {
        int code = errno;
        close(own);
        close(armed[0]);
        close(armed[1]);
        errno = code;
        return -1;
    }
    pid_t process = disk_log_fork();
    int code = errno;
    if (process == 0) {
        // A first process ignores the signals of its own namespace, such as that of an alarm.
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        // The parent may have died before; it is not in this namespace, so that its id does not tell.
        close(armed[0]);
        if (write(armed[1], &byte, 1) != 1) _exit(1);
        close(armed[1]);
        close(own);
        return 0;
    }
    close(armed[1]);
    if (process > 0) (void)!read(armed[0], &byte, 1);
    close(armed[0]);
    if (setns(own, CLONE_NEWPID) != 0 && process > 0) {
        // Another child would be in the same namespace.
        code = errno;
        kill(process, SIGKILL);
        process = -1;
    }
    close(own);
    errno = code;
    return process;
}

#else

pid_t disk_log_fork_in_namespace(void) {
    errno = ENOTSUP;
    return -1;
}

#endif
