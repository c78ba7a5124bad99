/// What the commands of a crash test have in common.
#ifndef ENVIRONMENT_H
#define ENVIRONMENT_H

#include <fcntl.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

/// Sets the variables of a command, and lets it inherit the first three descriptors and one more.
static inline void prepare_environment(const char *folder, int descriptor) {
    setenv("CRASH_FOLDER", folder, 1);
    setenv("HOME", folder, 1);
    // Lines of Python programs are acknowledged when they are printed.
    setenv("PYTHONUNBUFFERED", "1", 1);
#ifdef SYS_close_range
    syscall(SYS_close_range, 3u, ~0u, 4u);
#endif
    if (descriptor >= 3) fcntl(descriptor, F_SETFD, 0);
}

#endif
