/// Runs a check on images. A checker mounts a file system in memory over the folder, in a mount namespace of its own, so that the
/// paths that a program has stored stay valid, and so that several checkers work at the same time.
#define _GNU_SOURCE
#include "CProgramTrace.h"

#include <errno.h>

#if defined(__linux__)

#include "Environment.h"
#include "Image.h"

#include <fcntl.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#ifndef SYS_pidfd_open
#define SYS_pidfd_open 434
#endif

enum { text_limit = 4000 };

// MARK: Namespaces

static bool write_file(const char *path, const char *text) {
    int file = open(path, O_WRONLY | O_CLOEXEC);
    if (file < 0) return false;
    bool is_written = write(file, text, strlen(text)) == (ssize_t)strlen(text);
    close(file);
    return is_written;
}

/// A user without privileges has them in a user namespace, in which the own number stays the same.
static bool enter_user_namespace(void) {
    uid_t user = geteuid();
    gid_t group = getegid();
    char map[64];
    if (unshare(CLONE_NEWUSER | CLONE_NEWNS) != 0) return false;
    write_file("/proc/self/setgroups", "deny");
    snprintf(map, sizeof map, "%u %u 1", (unsigned)user, (unsigned)user);
    if (!write_file("/proc/self/uid_map", map)) return false;
    snprintf(map, sizeof map, "%u %u 1", (unsigned)group, (unsigned)group);
    return write_file("/proc/self/gid_map", map);
}

static bool mount_memory(const char *folder) {
    return mount("crashtest", folder, "tmpfs", MS_NOSUID | MS_NODEV, "size=1g,mode=0700") == 0;
}

static int enter_namespace(const char *folder) {
    if (unshare(CLONE_NEWNS) != 0 && !enter_user_namespace()) return errno ? errno : EPERM;
    if (mount("none", "/", NULL, MS_REC | MS_PRIVATE, NULL) != 0 || !mount_memory(folder)) return errno;
    return 0;
}

// MARK: One check

static bool read_all(int from, void *to, size_t length) {
    for (size_t done = 0; done < length;) {
        ssize_t count = read(from, (char *)to + done, length - done);
        if (count < 0 && errno == EINTR) continue;
        if (count <= 0) return false;
        done += count;
    }
    return true;
}

static bool write_all(int to, const void *from, size_t length) {
    for (size_t done = 0; done < length;) {
        ssize_t count = write(to, (const char *)from + done, length - done);
        if (count < 0 && errno == EINTR) continue;
        if (count <= 0) return false;
        done += count;
    }
    return true;
}

/// In the child that shares this process's memory until it runs the shell.
static void run_shell(const char *folder, const char *command, int input, int output) {
    setsid();
    dup2(input, 0);
    dup2(output, 1);
    dup2(output, 2);
    if (chdir(folder) == 0) execl("/bin/sh", "sh", "-c", command, (char *)NULL);
    _exit(127);
}

/// Waits for the check; returns how it ended.
static int await(pid_t check, int seconds) {
    int status;
    int end = (int)syscall(SYS_pidfd_open, check, 0);
    struct pollfd wait = {.fd = end, .events = POLLIN};
    bool has_ended = end < 0 || poll(&wait, 1, seconds * 1000) != 0;
    if (end >= 0) close(end);
    // What the check has started goes with it.
    if (!has_ended) kill(-check, SIGKILL);
    if (waitpid(check, &status, 0) != check) return program_check_not_run;
    kill(-check, SIGKILL);
    while (waitpid(-1, NULL, WNOHANG) > 0) {}
    if (!has_ended) return program_check_timed_out;
    if (WIFSIGNALED(status)) return -WTERMSIG(status);
    // So a shell reports the signal that has ended a command.
    return WEXITSTATUS(status) > 128 ? -(WEXITSTATUS(status) - 128) : WEXITSTATUS(status);
}

static int run_check(const char *folder, const char *command, int seconds, int input, int output) {
    lseek(input, 0, SEEK_SET);
    if (ftruncate(output, 0) != 0) return program_check_not_run;
    lseek(output, 0, SEEK_SET);
    pid_t check = vfork();
    if (check == 0) run_shell(folder, command, input, output);
    return check < 0 ? program_check_not_run : await(check, seconds);
}

// MARK: The checker

/// Answers with the way that the check has ended, the length of its output, and the output.
static bool answer(int to, int32_t ending, int output) {
    char bytes[8 + text_limit];
    ssize_t count = output < 0 ? 0 : pread(output, bytes + 8, text_limit, 0);
    int32_t length = count < 0 ? 0 : (int32_t)count;
    memcpy(bytes, &ending, 4);
    memcpy(bytes + 4, &length, 4);
    return write_all(to, bytes, 8 + length);
}

/// A request is the length of an image, the length of the lines for the check, and both.
static void serve(const char *folder, const char *command, bool has_namespace, int seconds, int requests, int answers) {
    int code = has_namespace ? enter_namespace(folder) : 0;
    int input = (int)syscall(SYS_memfd_create, "input", 1u), output = (int)syscall(SYS_memfd_create, "output", 1u);
    if (input < 0 || output < 0) code = errno;
    if (!answer(answers, code, -1) || code != 0) return;
    size_t size = 0;
    char *bytes = NULL;
    uint64_t lengths[2];
    while (read_all(requests, lengths, sizeof lengths)) {
        if (lengths[0] + lengths[1] > size) {
            size = lengths[0] + lengths[1];
            free(bytes);
            bytes = malloc(size);
            if (!bytes) return;
        }
        if (!read_all(requests, bytes, lengths[0] + lengths[1])) return;
        if (ftruncate(input, 0) != 0 || pwrite(input, bytes + lengths[0], lengths[1], 0) != (ssize_t)lengths[1]) return;
        int failure = 0;
        if (has_namespace) {
            // A new one is faster than to remove everything, and leaves what a lost process still has open.
            umount2(folder, MNT_DETACH);
            if (!mount_memory(folder)) failure = errno;
        } else {
            failure = program_checker_clear(folder);
        }
        if (failure == 0) failure = image_fill(folder, bytes, lengths[0]);
        int ending = failure ? program_check_not_run : run_check(folder, command, seconds, input, output);
        if (!answer(answers, ending, failure ? -1 : output)) return;
    }
}

int program_checker_start(
    struct program_checker *checker, const char *folder, const char *command, bool has_namespace, int seconds) {
    int requests[2], answers[2];
    if (pipe2(requests, O_CLOEXEC) != 0) return errno;
    if (pipe2(answers, O_CLOEXEC) != 0) {
        int code = errno;
        close(requests[0]), close(requests[1]);
        return code;
    }
    pid_t process = fork();
    if (process == 0) {
        setpgid(0, 0);
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        prctl(PR_SET_CHILD_SUBREAPER, 1);
        signal(SIGINT, SIG_DFL), signal(SIGTERM, SIG_DFL), signal(SIGPIPE, SIG_DFL), signal(SIGCHLD, SIG_DFL);
        sigset_t none;
        sigemptyset(&none);
        sigprocmask(SIG_SETMASK, &none, NULL);
        close(requests[1]), close(answers[0]);
        prepare_environment(folder, -1);
        serve(folder, command, has_namespace, seconds, requests[0], answers[1]);
        _exit(0);
    }
    close(requests[0]), close(answers[1]);
    checker->process = process;
    checker->requests = requests[1];
    checker->answers = answers[0];
    int32_t first[2];
    if (process > 0 && read_all(answers[0], first, sizeof first) && first[0] == 0) return 0;
    int code = process < 0 ? EAGAIN : first[0];
    program_checker_stop(checker);
    return code ? code : EPERM;
}

void program_checker_stop(struct program_checker *checker) {
    close(checker->requests), close(checker->answers);
    if (checker->process <= 0) return;
    kill(checker->process, SIGKILL);
    waitpid(checker->process, NULL, 0);
    checker->process = 0;
}

#else

int program_checker_start(
    struct program_checker *checker, const char *folder, const char *command, bool has_namespace, int seconds) {
    (void)checker, (void)folder, (void)command, (void)has_namespace, (void)seconds;
    return ENOTSUP;
}

void program_checker_stop(struct program_checker *checker) { (void)checker; }

#endif
