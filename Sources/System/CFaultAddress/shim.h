// What a signal handler can find out about a fault. Everything here is async-signal-safe: it neither allocates nor locks.
#ifndef CFAULTADDRESS_SHIM_H
#define CFAULTADDRESS_SHIM_H

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdint.h>
#include <string.h>
#include <unistd.h>

// Whether a signal was sent by a process and not by the kernel for a fault.
static inline int was_sent(const siginfo_t *info) { return info->si_code <= 0; }

// Whether a signal is a fault of this process or its own abort, and not what another one sent.
static inline int is_own(const siginfo_t *info)
{
    return info->si_code > 0 || (info->si_code == SI_TKILL && info->si_pid == getpid());
}

// Whether a signal is of a page that the system cannot provide: beyond the end of its file, on a medium that cannot be read, or
// in memory that has failed.
static inline int is_unreadable_page(const siginfo_t *info)
{
    return info->si_signo == SIGBUS && (info->si_code == BUS_ADRERR || info->si_code == BUS_MCEERR_AR);
}

// Whether a line of /proc/self/maps is of a range with this address, and of a file whose path ends so.
static inline int is_line_of(const char *line, size_t length, uintptr_t address, const char *ending)
{
    uintptr_t bounds[2] = {0, 0};
    size_t at = 0;
    for (int bound = 0; bound < 2; at++) {
        if (at >= length) return 0;
        char digit = line[at];
        if (digit >= '0' && digit <= '9') bounds[bound] = bounds[bound] << 4 | (uintptr_t)(digit - '0');
        else if (digit >= 'a' && digit <= 'f') bounds[bound] = bounds[bound] << 4 | (uintptr_t)(digit - 'a' + 10);
        else bound++;
    }
    if (address < bounds[0] || address >= bounds[1]) return 0;
    static const char removed[] = " (deleted)";
    size_t count = sizeof removed - 1;
    if (length > count && memcmp(line + length - count, removed, count) == 0) length -= count;
    count = strlen(ending);
    return length > count && memcmp(line + length - count, ending, count) == 0;
}

// Whether the address of a fault is in a mapping of a file whose path ends so: 1, 0, or -1 where the system does not say.
static inline int is_fault_in_file(const siginfo_t *info, const char *ending)
{
    // Of a longer line, which a path of 4,096 bytes can make, the end is missing.
    char line[4352];
    char part[512];
    size_t length = 0;
    ssize_t count;
    int found = 0;
    int saved = errno;
    int maps = open("/proc/self/maps", O_RDONLY | O_CLOEXEC);
    if (maps < 0) { errno = saved; return -1; }
    while (!found && ((count = read(maps, part, sizeof part)) > 0 || (count < 0 && errno == EINTR))) {
        for (ssize_t index = 0; index < count && !found; index++) {
            if (part[index] == '\n') {
                found = is_line_of(line, length, (uintptr_t)info->si_addr, ending);
                length = 0;
            } else if (length < sizeof line) {
                line[length++] = part[index];
            }
        }
    }
    close(maps);
    errno = saved;
    return found;
}

#endif
