/// What differs between processors: the one place to extend for another one.
#ifndef MACHINE_H
#define MACHINE_H

#include <elf.h>
#include <errno.h>
#include <linux/audit.h>
#include <stdbool.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/user.h>

#if defined(__x86_64__)
#define MACHINE_ARCHITECTURE AUDIT_ARCH_X86_64
/// The calls of the x32 interface, with 32-bit pointers.
#define MACHINE_FOREIGN_CALLS 0x40000000

/// Makes a call that is about to be made return an error instead.
static inline bool machine_deny(pid_t thread, int error) {
    struct user_regs_struct registers;
    if (ptrace(PTRACE_GETREGS, thread, 0, &registers) != 0) return false;
    registers.orig_rax = -1;
    registers.rax = -error;
    return ptrace(PTRACE_SETREGS, thread, 0, &registers) == 0;
}

#elif defined(__aarch64__)
#define MACHINE_ARCHITECTURE AUDIT_ARCH_AARCH64

static inline bool machine_deny(pid_t thread, int error) {
    int none = -1;
    struct iovec part = {&none, sizeof none};
    if (ptrace(PTRACE_SETREGSET, thread, (void *)NT_ARM_SYSTEM_CALL, &part) != 0) return false;
    struct user_regs_struct registers;
    part = (struct iovec){&registers, sizeof registers};
    if (ptrace(PTRACE_GETREGSET, thread, (void *)NT_PRSTATUS, &part) != 0) return false;
    registers.regs[0] = -error;
    return ptrace(PTRACE_SETREGSET, thread, (void *)NT_PRSTATUS, &part) == 0;
}

#endif

// Calls that only the older processors have. A negative number is never called.
#ifndef SYS_open
#define SYS_open (-2)
#endif
#ifndef SYS_creat
#define SYS_creat (-3)
#endif
#ifndef SYS_rename
#define SYS_rename (-4)
#endif
#ifndef SYS_link
#define SYS_link (-5)
#endif
#ifndef SYS_unlink
#define SYS_unlink (-6)
#endif
#ifndef SYS_rmdir
#define SYS_rmdir (-7)
#endif
#ifndef SYS_mkdir
#define SYS_mkdir (-8)
#endif
#ifndef SYS_symlink
#define SYS_symlink (-9)
#endif
#ifndef SYS_chmod
#define SYS_chmod (-10)
#endif
#ifndef SYS_mknod
#define SYS_mknod (-11)
#endif
#ifndef SYS_dup2
#define SYS_dup2 (-12)
#endif
#ifndef SYS_renameat
#define SYS_renameat (-13)
#endif
#ifndef SYS_fchmodat2
#define SYS_fchmodat2 452
#endif
#ifndef SYS_close_range
#define SYS_close_range 436
#endif
#ifndef SYS_openat2
#define SYS_openat2 437
#endif
#ifndef SYS_pidfd_open
#define SYS_pidfd_open 434
#endif

#endif
