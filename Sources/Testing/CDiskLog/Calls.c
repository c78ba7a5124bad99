#include "Recording.h"

#if DISK_LOG_IS_SUPPORTED

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

// These replace libc's functions for every library that this program uses.

// MARK: On the way

/// Takes the lock for a call on a descriptor. Returns false if the call is not to be recorded.
static bool begins_on_descriptor(struct disk_log_call *call, int descriptor)
{
    int before = errno;
    if (disk_log_enter()) {
        call->entry.file = disk_log_file(descriptor);
        errno = before;
        if (call->entry.file != 0) return true;
        disk_log_exit();
    }
    return false;
}

/// Takes the lock for a call on a path, which it writes to `resolved`. Returns false if the call is not to be recorded.
static bool begins_on_path(
    struct disk_log_call *call, int folder, const char *path, bool follows_link, char resolved[PATH_MAX])
{
    int before = errno;
    if (disk_log_enter()) {
        bool is_inside = disk_log_resolve(folder, path, follows_link, resolved);
        call->path = resolved;
        errno = before;
        if (is_inside) return true;
        disk_log_exit();
    }
    return false;
}

/// Logs a call after it was made and releases the lock.
static long ends(struct disk_log_call *call, int errno_before)
{
    disk_log_append(call);
    disk_log_exit();
    errno = call->entry.result < 0 ? call->entry.error : errno_before;
    return (long)call->entry.result;
}

static long through_descriptor(int descriptor, struct disk_log_call *call)
{
    int before = errno;
    if (!begins_on_descriptor(call, descriptor)) return disk_log_ask_kernel(call);
    disk_log_make(call);
    return ends(call, before);
}

static long through_path(int folder, const char *path, bool follows_link, struct disk_log_call *call)
{
    char resolved[PATH_MAX];
    int before = errno;
    if (!begins_on_path(call, folder, path, follows_link, resolved)) return disk_log_ask_kernel(call);
    disk_log_make(call);
    return ends(call, before);
}

// MARK: Opening and closing

static int opened(int folder, const char *path, int flags, mode_t mode)
{
    if (!disk_log_is_armed()) return (int)syscall(SYS_openat, folder, path, flags, mode);
    bool may_write = (flags & O_ACCMODE) != O_RDONLY || (flags & (O_CREAT | O_TRUNC)) != 0;
    struct disk_log_call call = {
        SYS_openat, {folder, (long)path, flags, mode}, .entry = {.kind = disk_log_open, .flags = (uint32_t)flags},
        .category = may_write ? 1 : 2};
    bool follows_link = !(flags & O_NOFOLLOW) && (flags & (O_CREAT | O_EXCL)) != (O_CREAT | O_EXCL);
    char resolved[PATH_MAX];
    int before = errno;
    if (!begins_on_path(&call, folder, path, follows_link, resolved)) return (int)disk_log_ask_kernel(&call);
    int descriptor = (int)disk_log_make(&call);
    if (call.entry.result >= 0) {
        call.entry.file = ++disk_log_shared->files;
        disk_log_follow(descriptor, call.entry.file);
    } else if (descriptor >= 0) {
        // Reported as failed, so no one will close it.
        syscall(SYS_close, descriptor);
    }
    return (int)ends(&call, before);
}

/// The mode that follows the flags if a file may be created.
#define READ_MODE(flags, mode)                                    \
    mode_t mode = 0;                                              \
    if (((flags) & O_CREAT) || ((flags) & O_TMPFILE) == O_TMPFILE) { \
        va_list more;                                             \
        va_start(more, flags);                                    \
        mode = va_arg(more, mode_t);                              \
        va_end(more);                                             \
    }

int open(const char *path, int flags, ...)
{
    READ_MODE(flags, mode)
    return opened(AT_FDCWD, path, flags, mode);
}

int open64(const char *path, int flags, ...)
{
    READ_MODE(flags, mode)
    return opened(AT_FDCWD, path, flags, mode);
}

int openat(int folder, const char *path, int flags, ...)
{
    READ_MODE(flags, mode)
    return opened(folder, path, flags, mode);
}

int openat64(int folder, const char *path, int flags, ...)
{
    READ_MODE(flags, mode)
    return opened(folder, path, flags, mode);
}

int creat(const char *path, mode_t mode) { return opened(AT_FDCWD, path, O_CREAT | O_WRONLY | O_TRUNC, mode); }
int creat64(const char *path, mode_t mode) { return creat(path, mode); }

int close(int descriptor)
{
    if (!disk_log_may_follow(descriptor)) return (int)syscall(SYS_close, descriptor);
    struct disk_log_call call = {SYS_close, {descriptor}, .entry = {.kind = disk_log_close}};
    int before = errno;
    if (!begins_on_descriptor(&call, descriptor)) return (int)disk_log_ask_kernel(&call);
    disk_log_make(&call);
    disk_log_forget_map(call.entry.file);
    // A closed descriptor is dropped at its next look-up; one that a fault left open is kept.
    disk_log_file(descriptor);
    return (int)ends(&call, before);
}

// MARK: Writing

/// Returns the position of a write that was requested at `place`: an appending write went to the previous end.
static off_t place_written(int descriptor, int flags, off_t place, long count)
{
    struct stat status;
    if (!(flags & O_APPEND) || fstat(descriptor, &status) != 0) return place;
    return status.st_size - (count > 0 ? count : 0);
}

/// A write at a position, or at the descriptor's current one.
static ssize_t written(int descriptor, const struct iovec *parts, int count, bool has_place, off_t place)
{
    struct disk_log_call call = {
        has_place ? SYS_pwritev : SYS_writev, {descriptor, (long)parts, count, has_place ? place : 0},
        .entry = {.kind = disk_log_write}, .parts = parts, .part_count = count};
    int before = errno;
    if (!begins_on_descriptor(&call, descriptor)) return disk_log_ask_kernel(&call);
    int flags = fcntl(descriptor, F_GETFL);
    bool is_synchronous = (flags & O_DSYNC) != 0;
    call.category = is_synchronous ? 1 : 2;
    call.entry.flags = is_synchronous;
    for (int index = 0; index < count; index++) call.entry.length += parts[index].iov_len;
    if (!has_place) place = lseek(descriptor, 0, SEEK_CUR);
    long result = disk_log_make(&call);
    call.entry.offset = place_written(descriptor, flags, place, result);
    return ends(&call, before);
}

ssize_t write(int descriptor, const void *bytes, size_t count)
{
    if (!disk_log_may_follow(descriptor)) return syscall(SYS_write, descriptor, bytes, count);
    struct iovec part = {(void *)bytes, count};
    return written(descriptor, &part, 1, false, 0);
}

ssize_t writev(int descriptor, const struct iovec *parts, int count)
{
    if (!disk_log_may_follow(descriptor)) return syscall(SYS_writev, descriptor, parts, count);
    return written(descriptor, parts, count, false, 0);
}

ssize_t pwrite(int descriptor, const void *bytes, size_t count, off_t offset)
{
    if (!disk_log_may_follow(descriptor)) return syscall(SYS_pwrite64, descriptor, bytes, count, offset);
    struct iovec part = {(void *)bytes, count};
    return written(descriptor, &part, 1, true, offset);
}

ssize_t pwrite64(int descriptor, const void *bytes, size_t count, off_t offset)
{
    return pwrite(descriptor, bytes, count, offset);
}

ssize_t pwritev(int descriptor, const struct iovec *parts, int count, off_t offset)
{
    if (!disk_log_may_follow(descriptor)) return syscall(SYS_pwritev, descriptor, parts, count, offset, 0);
    return written(descriptor, parts, count, true, offset);
}

ssize_t pwritev64(int descriptor, const struct iovec *parts, int count, off_t offset)
{
    return pwritev(descriptor, parts, count, offset);
}

// MARK: Sizes

int ftruncate(int descriptor, off_t size)
{
    if (!disk_log_may_follow(descriptor)) return (int)syscall(SYS_ftruncate, descriptor, size);
    struct disk_log_call call = {SYS_ftruncate, {descriptor, size}, .entry = {.kind = disk_log_resize, .offset = size}};
    return (int)through_descriptor(descriptor, &call);
}

int ftruncate64(int descriptor, off_t size) { return ftruncate(descriptor, size); }

int truncate(const char *path, off_t size)
{
    struct disk_log_call call = {
        SYS_truncate, {(long)path, size}, .entry = {.kind = disk_log_resize, .offset = size}};
    return (int)through_path(AT_FDCWD, path, true, &call);
}

int truncate64(const char *path, off_t size) { return truncate(path, size); }

int fallocate(int descriptor, int mode, off_t offset, off_t length)
{
    if (!disk_log_may_follow(descriptor)) return (int)syscall(SYS_fallocate, descriptor, mode, offset, length);
    struct disk_log_call call = {
        SYS_fallocate, {descriptor, mode, offset, length},
        .entry = {
            .kind = disk_log_allocate, .flags = (uint32_t)mode, .offset = offset, .length = (uint64_t)length}};
    return (int)through_descriptor(descriptor, &call);
}

int fallocate64(int descriptor, int mode, off_t offset, off_t length)
{
    return fallocate(descriptor, mode, offset, length);
}

/// Without libc's way for file systems that cannot do it, which the lab does not use.
int posix_fallocate(int descriptor, off_t offset, off_t length)
{
    int before = errno;
    int code = fallocate(descriptor, 0, offset, length) == 0 ? 0 : errno;
    errno = before;
    return code;
}

int posix_fallocate64(int descriptor, off_t offset, off_t length) { return posix_fallocate(descriptor, offset, length); }

// MARK: Names

/// A call on two names, given by its first four arguments; it is recorded if one of them lies in the folder.
static int through_names(struct disk_log_call *call, bool follows_link)
{
    const long *a = call->arguments;
    int before = errno;
    if (!disk_log_enter()) return (int)disk_log_ask_kernel(call);
    char resolved[PATH_MAX], other_resolved[PATH_MAX];
    bool is_inside = disk_log_resolve((int)a[0], (const char *)a[1], follows_link, resolved);
    bool ends_inside = disk_log_resolve((int)a[2], (const char *)a[3], false, other_resolved);
    errno = before;
    if (!is_inside && !ends_inside) {
        disk_log_exit();
        return (int)disk_log_ask_kernel(call);
    }
    call->path = resolved;
    call->other_path = other_resolved;
    disk_log_make(call);
    return (int)ends(call, before);
}

int renameat2(int folder, const char *path, int other_folder, const char *other_path, unsigned flags)
{
    struct disk_log_call call = {
        SYS_renameat2, {folder, (long)path, other_folder, (long)other_path, flags},
        .entry = {.kind = disk_log_rename, .flags = flags}};
    return through_names(&call, false);
}

int renameat(int folder, const char *path, int other_folder, const char *other_path)
{
    return renameat2(folder, path, other_folder, other_path, 0);
}

int rename(const char *path, const char *other_path) { return renameat2(AT_FDCWD, path, AT_FDCWD, other_path, 0); }

int linkat(int folder, const char *path, int other_folder, const char *other_path, int flags)
{
    struct disk_log_call call = {
        SYS_linkat, {folder, (long)path, other_folder, (long)other_path, flags}, .entry = {.kind = disk_log_link}};
    return through_names(&call, flags & AT_SYMLINK_FOLLOW);
}

int link(const char *path, const char *other_path) { return linkat(AT_FDCWD, path, AT_FDCWD, other_path, 0); }

int unlinkat(int folder, const char *path, int flags)
{
    struct disk_log_call call = {
        SYS_unlinkat, {folder, (long)path, flags},
        .entry = {.kind = flags & AT_REMOVEDIR ? disk_log_remove_folder : disk_log_remove}};
    return (int)through_path(folder, path, false, &call);
}

int unlink(const char *path) { return unlinkat(AT_FDCWD, path, 0); }
int rmdir(const char *path) { return unlinkat(AT_FDCWD, path, AT_REMOVEDIR); }

int mkdirat(int folder, const char *path, mode_t mode)
{
    struct disk_log_call call = {
        SYS_mkdirat, {folder, (long)path, mode}, .entry = {.kind = disk_log_make_folder}};
    return (int)through_path(folder, path, false, &call);
}

int mkdir(const char *path, mode_t mode) { return mkdirat(AT_FDCWD, path, mode); }

// MARK: Flushing

int fsync(int descriptor)
{
    if (!disk_log_may_follow(descriptor)) return (int)syscall(SYS_fsync, descriptor);
    struct disk_log_call call = {SYS_fsync, {descriptor}, .entry = {.kind = disk_log_flush}};
    return (int)through_descriptor(descriptor, &call);
}

int fdatasync(int descriptor)
{
    if (!disk_log_may_follow(descriptor)) return (int)syscall(SYS_fdatasync, descriptor);
    struct disk_log_call call = {SYS_fdatasync, {descriptor}, .entry = {.kind = disk_log_flush_data}};
    return (int)through_descriptor(descriptor, &call);
}

int msync(void *address, size_t length, int flags)
{
    struct disk_log_call call = {
        SYS_msync, {(long)address, (long)length, flags},
        .entry = {.kind = disk_log_flush_map, .flags = (uint32_t)flags, .length = length}};
    int before = errno;
    if (!disk_log_enter()) return (int)disk_log_ask_kernel(&call);
    disk_log_make(&call);
    return (int)ends(&call, before);
}

// MARK: Mapping

void *mmap(void *address, size_t length, int protection, int flags, int descriptor, off_t offset)
{
    struct disk_log_call call = {
        SYS_mmap, {(long)address, (long)length, protection, flags, descriptor, offset},
        .entry = {.kind = disk_log_map, .offset = offset, .length = length}};
    if ((flags & MAP_ANONYMOUS) || !disk_log_may_follow(descriptor)) return (void *)disk_log_ask_kernel(&call);
    // Whether writes to the map go to the file.
    call.entry.flags = (flags & MAP_TYPE) != MAP_PRIVATE && (protection & PROT_WRITE);
    int before = errno;
    if (!begins_on_descriptor(&call, descriptor)) return (void *)disk_log_ask_kernel(&call);
    void *map = (void *)disk_log_make(&call);
    if (call.entry.result < 0) {
        if (map != MAP_FAILED) munmap(map, length);
        map = MAP_FAILED;
    } else {
        // Addresses differ between runs, logs must not.
        call.entry.result = 0;
        bool is_for_reading = (flags & MAP_TYPE) != MAP_PRIVATE && protection == PROT_READ && offset == 0;
        if (is_for_reading) disk_log_note_map(call.entry.file, descriptor, map, length);
    }
    ends(&call, before);
    return map;
}

void *mmap64(void *address, size_t length, int protection, int flags, int descriptor, off_t offset)
{
    return mmap(address, length, protection, flags, descriptor, offset);
}

#pragma clang attribute pop

#endif
