/// The calls at which the kernel stops the program. All others run at full speed.
#include "Recording.h"

#if PROGRAM_TRACE_IS_SUPPORTED

#include "Machine.h"

#include <fcntl.h>
#include <linux/filter.h>
#include <linux/fs.h>
#include <linux/seccomp.h>
#include <sys/mman.h>
#include <sys/prctl.h>

static const int stopping_calls[] = {
    SYS_creat,   SYS_openat2,  SYS_write,      SYS_pwrite64,        SYS_writev,    SYS_pwritev,   SYS_pwritev2,
    SYS_sendfile, SYS_copy_file_range, SYS_splice, SYS_ftruncate,   SYS_fallocate, SYS_truncate,  SYS_fsync,
    SYS_fdatasync, SYS_syncfs, SYS_sync,       SYS_msync,           SYS_close,     SYS_dup2,      SYS_dup3,
    SYS_close_range, SYS_rename, SYS_renameat, SYS_renameat2,       SYS_link,      SYS_linkat,    SYS_unlink,
    SYS_unlinkat, SYS_rmdir,   SYS_mkdir,      SYS_mkdirat,         SYS_symlink,   SYS_symlinkat, SYS_mknod,
    SYS_mknodat, SYS_chmod,    SYS_fchmodat,   SYS_fchmodat2,       SYS_fchmod,    SYS_io_setup,  SYS_io_uring_setup,
    SYS_chroot,  SYS_pivot_root, SYS_mount,    SYS_open_by_handle_at,
};

enum { count_of_calls = sizeof stopping_calls / sizeof *stopping_calls };

static struct sock_filter filter[256];
static unsigned short used;

static void put(struct sock_filter instruction) { filter[used++] = instruction; }

/// Stops a call only if one of some bits of an argument is set.
static void put_call_with_bits(int call, int argument, unsigned bits) {
    if (call < 0) return;
    unsigned offset = offsetof(struct seccomp_data, args) + 8 * argument;
    put((struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, call, 0, 4));
    put((struct sock_filter)BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offset));
    put((struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JSET | BPF_K, bits, 0, 1));
    put((struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_TRACE));
    put((struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW));
}

static void put_call_with_value(int call, int argument, unsigned value) {
    unsigned offset = offsetof(struct seccomp_data, args) + 8 * argument;
    put((struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, call, 0, 4));
    put((struct sock_filter)BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offset));
    put((struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, value, 0, 1));
    put((struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_TRACE));
    put((struct sock_filter)BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)));
}

bool install_filter(void) {
    put((struct sock_filter)BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, arch)));
    put((struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, MACHINE_ARCHITECTURE, 1, 0));
    put((struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_TRACE));
    put((struct sock_filter)BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)));
#ifdef MACHINE_FOREIGN_CALLS
    put((struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JGE | BPF_K, MACHINE_FOREIGN_CALLS, 0, 1));
    put((struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_TRACE));
#endif
    // An open for reading changes nothing.
    put_call_with_bits(SYS_openat, 2, O_ACCMODE | O_CREAT | O_TRUNC);
    put_call_with_bits(SYS_open, 1, O_ACCMODE | O_CREAT | O_TRUNC);
    put_call_with_bits(SYS_mmap, 3, MAP_SHARED);
    put_call_with_value(SYS_ioctl, 1, FICLONE);
    put_call_with_value(SYS_ioctl, 1, FICLONERANGE);
    for (int index = 0; index < count_of_calls; index++) {
        if (stopping_calls[index] < 0) continue;
        put((struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, stopping_calls[index], 0, 1));
        put((struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_TRACE));
    }
    put((struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW));
    struct sock_fprog program = {used, filter};
    return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 && prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) == 0;
}

#endif
