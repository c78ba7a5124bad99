/// What each call does to the folder: what has to be known before it is made, and the events of one that has succeeded.
#include "Recording.h"

#if PROGRAM_TRACE_IS_SUPPORTED

#include "Machine.h"

#include <dirent.h>
#include <fcntl.h>
#include <linux/fs.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#ifndef RWF_DSYNC
#define RWF_DSYNC 2
#define RWF_SYNC 4
#define RWF_APPEND 16
#endif

// MARK: Before a call

static bool is_open(long call) {
    return call == SYS_open || call == SYS_creat || call == SYS_openat || call == SYS_openat2;
}

bool call_names_path(long call) {
    static const int calls[] = {SYS_open,      SYS_creat,    SYS_openat,  SYS_openat2,  SYS_truncate,  SYS_rename,
                                SYS_renameat,  SYS_renameat2, SYS_link,   SYS_linkat,   SYS_unlink,    SYS_unlinkat,
                                SYS_rmdir,     SYS_mkdir,    SYS_mkdirat, SYS_symlink,  SYS_symlinkat, SYS_mknod,
                                SYS_mknodat,   SYS_chmod,    SYS_fchmodat, SYS_fchmodat2};
    for (size_t index = 0; index < sizeof calls / sizeof *calls; index++) {
        if (calls[index] == call) return true;
    }
    return false;
}

/// A path that leads nowhere yet may lead into the folder when the call is made, so that such a call is recorded, too.
static bool may_be_inside(struct task *task, int folder, uint64_t address, bool follows_links, struct place *place) {
    return !find_place(task, folder, address, follows_links, place) || place->is_inside;
}

static bool may_move(struct task *task, int folder, uint64_t address, int to_folder, uint64_t to_address) {
    bool is_first = may_be_inside(task, folder, address, false, &task->first);
    bool is_second = may_be_inside(task, to_folder, to_address, false, &task->second);
    return is_first || is_second;
}

static bool prepare_open(struct task *task) {
    const uint64_t *arguments = task->arguments;
    int folder = AT_FDCWD, flags;
    uint64_t address = arguments[0], how;
    if (task->call == SYS_open) {
        flags = (int)arguments[1];
    } else if (task->call == SYS_creat) {
        flags = O_CREAT | O_WRONLY | O_TRUNC;
    } else {
        folder = (int)arguments[0];
        address = arguments[1];
        flags = (int)arguments[2];
        if (task->call == SYS_openat2) {
            if (!read_memory(task->thread, arguments[2], &how, sizeof how)) return false;
            flags = (int)how;
        }
    }
    task->file.flags = flags;
    if ((flags & O_ACCMODE) == O_RDONLY && !(flags & (O_CREAT | O_TRUNC))) return false;
    bool follows = !(flags & O_NOFOLLOW) && (flags & (O_CREAT | O_EXCL)) != (O_CREAT | O_EXCL);
    if (!find_place(task, folder, address, follows, &task->first)) return true;
    if ((flags & O_TMPFILE) == O_TMPFILE) return task->first.is_inside = is_inside(task->first.path);
    // Pipes and devices, which may block.
    mode_t mode = task->first.mode;
    if (task->first.exists && !S_ISREG(mode) && !S_ISDIR(mode) && !S_ISLNK(mode)) return false;
    return task->first.is_inside;
}

static bool take_bytes(struct task *task, uint64_t address, uint64_t length) {
    // The kernel writes no more at once.
    if (length > 0x7ffff000) length = 0x7ffff000;
    task->bytes = malloc(length + 1);
    task->length = task->bytes && read_memory(task->thread, address, task->bytes, length) ? length : 0;
    return true;
}

static bool take_vector(struct task *task, uint64_t address, uint64_t count) {
    static struct iovec parts[IOV_MAX];
    size_t total = 0;
    if (count > IOV_MAX || !read_memory(task->thread, address, parts, sizeof *parts * count)) return true;
    for (uint64_t index = 0; index < count; index++) total += parts[index].iov_len;
    task->bytes = malloc(total + 1);
    for (uint64_t index = 0; task->bytes && index < count; index++) {
        size_t length = parts[index].iov_len;
        if (!read_memory(task->thread, (uintptr_t)parts[index].iov_base, task->bytes + task->length, length)) break;
        task->length += length;
    }
    return true;
}

static bool is_descriptor(struct task *task, int argument, bool must_be_regular) {
    return find_descriptor(task, (int)task->arguments[argument], must_be_regular, &task->file);
}

static bool is_for_writing(const struct task *task) { return (task->file.flags & O_ACCMODE) != O_RDONLY; }

static bool prepare_link(struct task *task) {
    const uint64_t *arguments = task->arguments;
    if (task->call == SYS_link) {
        bool is_recorded = may_be_inside(task, AT_FDCWD, arguments[1], false, &task->second);
        return is_recorded && (find_place(task, AT_FDCWD, arguments[0], false, &task->first), true);
    }
    if (!may_be_inside(task, (int)arguments[2], arguments[3], false, &task->second)) return false;
    if (arguments[4] & AT_EMPTY_PATH) {
        if (!is_descriptor(task, 0, true)) return true;
        task->first = (struct place){.is_inside = true, .exists = true, .inode = task->file.inode, .mode = S_IFREG};
        return true;
    }
    find_place(task, (int)arguments[0], arguments[1], arguments[4] & AT_SYMLINK_FOLLOW, &task->first);
    return true;
}

static bool prepare_write(struct task *task) {
    const uint64_t *arguments = task->arguments;
    if (!is_descriptor(task, 0, true)) return false;
    switch (task->call) {
    case SYS_write: return take_bytes(task, arguments[1], arguments[2]);
    case SYS_pwrite64: task->file.position = arguments[3]; return take_bytes(task, arguments[1], arguments[2]);
    case SYS_writev: return take_vector(task, arguments[1], arguments[2]);
    case SYS_pwritev2:
        if (arguments[5] & RWF_APPEND) task->file.flags |= O_APPEND;
        task->is_synchronous = arguments[5] & (RWF_DSYNC | RWF_SYNC);
        break;
    }
    if (task->call == SYS_pwritev || (int64_t)arguments[3] != -1) task->file.position = arguments[3];
    return take_vector(task, arguments[1], arguments[2]);
}

bool prepare_call(struct task *task) {
    const uint64_t *arguments = task->arguments;
    free(task->bytes);
    task->bytes = NULL;
    task->length = 0;
    task->is_synchronous = false;
    task->first.is_inside = task->second.is_inside = task->first.exists = task->second.exists = false;
    if (is_open(task->call)) return prepare_open(task);
    switch (task->call) {
    case SYS_write:
    case SYS_pwrite64:
    case SYS_writev:
    case SYS_pwritev:
    case SYS_pwritev2: return prepare_write(task);
    case SYS_copy_file_range:
    case SYS_splice:
        if (!is_descriptor(task, 2, true)) return false;
        if (arguments[3]) read_memory(task->thread, arguments[3], &task->file.position, sizeof task->file.position);
        return true;
    case SYS_sendfile:
    case SYS_ioctl:
    case SYS_ftruncate:
    case SYS_fallocate: return is_descriptor(task, 0, true);
    case SYS_fsync:
    case SYS_fdatasync:
    case SYS_syncfs:
    case SYS_fchmod: return is_descriptor(task, 0, false);
    case SYS_sync:
    case SYS_close_range: return true;
    case SYS_msync: return arguments[2] & MS_SYNC;
    case SYS_mmap:
        return !(arguments[3] & MAP_ANONYMOUS) && is_descriptor(task, 4, true) && (task->file.flags & O_ACCMODE) == O_RDWR;
    case SYS_close: return is_descriptor(task, 0, true) && is_for_writing(task);
    case SYS_dup2:
    case SYS_dup3: return arguments[0] != arguments[1] && is_descriptor(task, 1, true) && is_for_writing(task);
    case SYS_truncate: return may_be_inside(task, AT_FDCWD, arguments[0], true, &task->first);
    case SYS_chmod: return may_be_inside(task, AT_FDCWD, arguments[0], true, &task->first);
    case SYS_fchmodat:
    case SYS_fchmodat2: return may_be_inside(task, (int)arguments[0], arguments[1], true, &task->first);
    case SYS_rename: return may_move(task, AT_FDCWD, arguments[0], AT_FDCWD, arguments[1]);
    case SYS_renameat:
    case SYS_renameat2: return may_move(task, (int)arguments[0], arguments[1], (int)arguments[2], arguments[3]);
    case SYS_link:
    case SYS_linkat: return prepare_link(task);
    case SYS_unlink:
    case SYS_rmdir:
    case SYS_mkdir:
    case SYS_mknod: return may_be_inside(task, AT_FDCWD, arguments[0], false, &task->first);
    case SYS_unlinkat:
    case SYS_mkdirat:
    case SYS_mknodat: return may_be_inside(task, (int)arguments[0], arguments[1], false, &task->first);
    case SYS_symlink: return may_be_inside(task, AT_FDCWD, arguments[1], false, &task->first);
    case SYS_symlinkat: return may_be_inside(task, (int)arguments[1], arguments[2], false, &task->first);
    }
    return false;
}

// MARK: After a call

/// The bytes that a call has put into a file without passing them through the program's memory.
static void log_copied(struct task *task, int argument, off_t offset, size_t length) {
    char name[64];
    snprintf(name, sizeof name, "/proc/%d/fd/%d", task->thread, (int)task->arguments[argument]);
    int own = open(name, O_RDONLY | O_CLOEXEC);
    char *bytes = malloc(length + 1);
    ssize_t count = own < 0 || !bytes ? -1 : pread(own, bytes, length, offset);
    if (own >= 0) close(own);
    if (count < 0) refuse(task->process, task->file.path, "copied bytes cannot be read");
    if (count > 0) {
        log_event(task->process, "write", task->file.path, "ino=%lu off=%lld len=%zd data=%llu sync=%d",
                  (unsigned long)task->file.inode, (long long)offset, count, (unsigned long long)log_bytes(bytes, count),
                  (task->file.flags & O_DSYNC) != 0);
        follow_write(task->file.inode, offset, bytes, count);
    }
    free(bytes);
}

static void log_size(const struct task *task, const char *path, ino_t inode, off_t size) {
    log_event(task->process, "size", path, "ino=%lu size=%lld", (unsigned long)inode, (long long)size);
}

static void finish_open(struct task *task, int descriptor) {
    char name[64];
    struct stat status;
    snprintf(name, sizeof name, "/proc/%d/fd/%d", task->thread, descriptor);
    if (stat(name, &status) != 0) return;
    unsigned long inode = status.st_ino;
    if ((task->file.flags & O_TMPFILE) == O_TMPFILE) {
        log_event(task->process, "create", "(unnamed)", "ino=%lu dir=0 kind=f mode=%o", inode, status.st_mode & 07777u);
    } else if (!task->first.exists) {
        log_event(task->process, "create", task->first.path, "ino=%lu dir=%lu kind=f mode=%o", inode,
                  (unsigned long)task->first.folder, status.st_mode & 07777u);
    } else if ((task->file.flags & O_TRUNC) && task->first.size > 0) {
        log_size(task, task->first.path, inode, 0);
        follow_size(inode, 0);
    }
}

static void finish_write(struct task *task, int64_t count) {
    char name[64];
    struct stat status;
    off_t offset = task->file.position;
    snprintf(name, sizeof name, "/proc/%d/fd/%d", task->thread, (int)task->arguments[0]);
    // Only this call has changed the file since then.
    if ((task->file.flags & O_APPEND) && stat(name, &status) == 0) offset = status.st_size - count;
    if ((size_t)count > task->length) {
        refuse(task->process, task->file.path, "the bytes of a write cannot be read");
        return;
    }
    log_event(task->process, "write", task->file.path, "ino=%lu off=%lld len=%lld data=%llu sync=%d",
              (unsigned long)task->file.inode, (long long)offset, (long long)count,
              (unsigned long long)log_bytes(task->bytes, count), task->is_synchronous || (task->file.flags & O_DSYNC));
    follow_write(task->file.inode, offset, task->bytes, count);
}

static void finish_size(struct task *task) {
    const uint64_t *arguments = task->arguments;
    off_t size = task->call == SYS_ftruncate ? (off_t)arguments[1] : task->file.size;
    if (task->call == SYS_fallocate) {
        int mode = (int)arguments[1];
        off_t end = arguments[2] + arguments[3];
        if (mode & ~(FALLOC_FL_KEEP_SIZE | FALLOC_FL_PUNCH_HOLE | FALLOC_FL_ZERO_RANGE)) {
            refuse(task->process, task->file.path, "fallocate that moves bytes is not supported");
            return;
        }
        if (!(mode & FALLOC_FL_KEEP_SIZE) && end > size) size = end;
        if (mode & (FALLOC_FL_PUNCH_HOLE | FALLOC_FL_ZERO_RANGE)) log_copied(task, 0, arguments[2], arguments[3]);
    }
    // ftruncate to the present size counts: ext4 then records that size before the bytes.
    if (size != task->file.size || task->call == SYS_ftruncate) log_size(task, task->file.path, task->file.inode, size);
    if (size != task->file.size) follow_size(task->file.inode, size);
}

static bool is_followed(mode_t mode) { return S_ISREG(mode) || S_ISDIR(mode) || S_ISLNK(mode); }

static void log_unlink(const struct task *task, const struct place *place) {
    if (!is_followed(place->mode)) return;
    log_event(task->process, "unlink", place->path, "ino=%lu dir=%lu", (unsigned long)place->inode,
              (unsigned long)place->folder);
}

static void finish_rename(struct task *task) {
    struct place *from = &task->first, *to = &task->second;
    int flags = task->call == SYS_renameat2 ? (int)task->arguments[4] : 0;
    if (!is_followed(from->mode)) return;
    if (!from->is_inside) {
        log_event(task->process, "note", to->path, "moved-in=1");
        log_tree(task->process, to->path, to->folder);
    } else if (!to->is_inside) {
        log_unlink(task, from);
    } else if (!to->exists || to->inode != from->inode) {
        log_target(task->process, "rename", from->path, relative_path(to->path), "ino=%lu dir=%lu dir2=%lu over=%lu exchange=%d",
                   (unsigned long)from->inode, (unsigned long)from->folder, (unsigned long)to->folder,
                   (unsigned long)(to->exists ? to->inode : 0), (flags & RENAME_EXCHANGE) != 0);
    }
}

static void finish_link(const struct task *task) {
    if (!task->first.is_inside) {
        log_event(task->process, "note", task->second.path, "linked-in=1");
        log_tree(task->process, task->second.path, task->second.folder);
        return;
    }
    log_event(task->process, "link", task->second.path, "ino=%lu dir=%lu", (unsigned long)task->first.inode,
              (unsigned long)task->second.folder);
}

static void finish_mode(const struct task *task, const char *path) {
    struct stat status;
    if (stat(path, &status) != 0) return;
    log_event(task->process, "mode", path, "ino=%lu mode=%o", (unsigned long)status.st_ino, status.st_mode & 07777u);
}

void finish_call(struct task *task, int64_t result) {
    const uint64_t *arguments = task->arguments;
    if (result < 0 || (call_names_path(task->call) && !task->first.is_inside && !task->second.is_inside)) return;
    if (is_open(task->call)) {
        finish_open(task, (int)result);
        return;
    }
    switch (task->call) {
    case SYS_write:
    case SYS_pwrite64:
    case SYS_writev:
    case SYS_pwritev:
    case SYS_pwritev2: if (result > 0) finish_write(task, result); return;
    case SYS_sendfile: if (result > 0) log_copied(task, 0, task->file.position, result); return;
    case SYS_copy_file_range:
    case SYS_splice: if (result > 0) log_copied(task, 2, task->file.position, result); return;
    case SYS_ioctl: {
        char name[64];
        struct stat status;
        snprintf(name, sizeof name, "/proc/%d/fd/%d", task->thread, (int)arguments[0]);
        if (stat(name, &status) != 0) return;
        log_size(task, task->file.path, task->file.inode, status.st_size);
        log_copied(task, 0, 0, status.st_size);
        return;
    }
    case SYS_ftruncate:
    case SYS_fallocate: finish_size(task); return;
    case SYS_truncate:
        log_size(task, task->first.path, task->first.inode, arguments[1]);
        follow_size(task->first.inode, arguments[1]);
        return;
    case SYS_fsync:
    case SYS_fdatasync:
        log_event(task->process, "sync", task->file.path, "ino=%lu data=%d", (unsigned long)task->file.inode,
                  task->call == SYS_fdatasync);
        return;
    case SYS_sync:
    case SYS_syncfs: log_event(task->process, "syncall", ".", "all=1"); return;
    case SYS_msync: log_map_flush(task, arguments[0], arguments[1]); return;
    case SYS_mmap: watch_map(task, (int)arguments[4]); return;
    case SYS_rename:
    case SYS_renameat:
    case SYS_renameat2: finish_rename(task); return;
    case SYS_link:
    case SYS_linkat: finish_link(task); return;
    case SYS_unlink:
    case SYS_unlinkat:
    case SYS_rmdir: log_unlink(task, &task->first); return;
    case SYS_mkdir:
    case SYS_mkdirat:
    case SYS_symlink:
    case SYS_symlinkat:
    case SYS_mknod:
    case SYS_mknodat: log_tree(task->process, task->first.path, task->first.folder); return;
    case SYS_chmod:
    case SYS_fchmodat:
    case SYS_fchmodat2: finish_mode(task, task->first.path); return;
    case SYS_fchmod: finish_mode(task, task->file.path); return;
    }
}

void log_closes(const struct task *task, unsigned first, unsigned last) {
    char name[64];
    snprintf(name, sizeof name, "/proc/%d/fd", task->thread);
    DIR *descriptors = opendir(name);
    struct dirent *entry;
    while (descriptors && (entry = readdir(descriptors))) {
        unsigned number = (unsigned)strtoul(entry->d_name, NULL, 10);
        struct opened file;
        if (entry->d_name[0] == '.' || number < first || number > last) continue;
        if (!find_descriptor(task, (int)number, true, &file) || (file.flags & O_ACCMODE) == O_RDONLY) continue;
        log_event(task->process, "close", file.path, "ino=%lu", (unsigned long)file.inode);
    }
    if (descriptors) closedir(descriptors);
}

#endif
