#include "Recording.h"

#if DISK_LOG_IS_SUPPORTED

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

// MARK: Descriptors

enum { descriptor_count = 1 << 16 };

/// The file behind a descriptor. Some descriptors are closed unseen (by closedir, for example) and then reused for
/// another file, so the file's identity is compared at each use.
struct opening {
    atomic_uint_least64_t file;
    dev_t device;
    ino_t inode;
};

static struct opening openings[descriptor_count];
static int highest = -1;

bool disk_log_may_follow(int descriptor)
{
    return disk_log_is_armed() && descriptor >= 0 && descriptor < descriptor_count
        && atomic_load_explicit(&openings[descriptor].file, memory_order_relaxed) != 0;
}

uint64_t disk_log_file(int descriptor)
{
    struct stat status;
    struct opening *opening = &openings[descriptor];
    if (atomic_load(&opening->file) == 0) return 0;
    if (fstat(descriptor, &status) != 0 || status.st_dev != opening->device || status.st_ino != opening->inode) {
        atomic_store(&opening->file, 0);
    }
    return atomic_load(&opening->file);
}

void disk_log_follow(int descriptor, uint64_t file)
{
    struct stat status;
    // A call that cannot be followed would be missing in the log.
    if (descriptor >= descriptor_count || fstat(descriptor, &status) != 0) {
        disk_log_shared->has_overflowed = true;
        return;
    }
    openings[descriptor].device = status.st_dev;
    openings[descriptor].inode = status.st_ino;
    atomic_store(&openings[descriptor].file, file);
    if (descriptor > highest) highest = descriptor;
}

void disk_log_forget(int descriptor) { atomic_store(&openings[descriptor].file, 0); }

void disk_log_forget_all(void)
{
    for (; highest >= 0; highest--) disk_log_forget(highest);
}

// MARK: Paths

static bool is_inside_folder(const char *resolved)
{
    size_t length = disk_log_shared->folder_length;
    return strncmp(resolved, disk_log_shared->folder, length) == 0
        && (resolved[length] == '\0' || resolved[length] == '/');
}

const char *disk_log_shown(const char *resolved)
{
    if (resolved[0] == '\0' || !is_inside_folder(resolved)) return resolved;
    const char *rest = resolved + disk_log_shared->folder_length;
    return *rest == '/' ? rest + 1 : rest;
}

/// Returns the path as realpath takes it: absolute, or relative to the working folder. Returns false if it is too long
/// or there is none.
static bool spelled_out(int folder, const char *path, char spelled[PATH_MAX])
{
    size_t start = 0;
    if (path == NULL || path[0] == '\0') return false;
    if (folder != AT_FDCWD && path[0] != '/') {
        char link[64];
        snprintf(link, sizeof link, "/proc/self/fd/%d", folder);
        ssize_t length = readlink(link, spelled, PATH_MAX - 2);
        if (length <= 0) return false;
        spelled[length] = '/';
        start = (size_t)length + 1;
    }
    size_t length = strlen(path);
    while (length > 1 && path[length - 1] == '/') length--;
    if (start + length >= PATH_MAX) return false;
    memcpy(spelled + start, path, length);
    spelled[start + length] = '\0';
    return true;
}

bool disk_log_resolve(int folder, const char *path, bool follows_link, char resolved[PATH_MAX])
{
    char spelled[PATH_MAX];
    resolved[0] = '\0';
    if (!spelled_out(folder, path, spelled)) return false;
    char *slash = strrchr(spelled, '/');
    char *name = slash == NULL ? spelled : slash + 1;
    // A path that ends in a dot names an existing folder; a link's target may not exist yet.
    bool is_whole = follows_link || name[0] == '\0' || strcmp(name, ".") == 0 || strcmp(name, "..") == 0;
    if (is_whole && realpath(spelled, resolved) != NULL) return is_inside_folder(resolved);
    resolved[0] = '\0';
    if (name[0] == '\0') return false;

    char parent[PATH_MAX];
    if (slash == NULL) strcpy(parent, ".");
    else if (slash == spelled) strcpy(parent, "/");
    else {
        memcpy(parent, spelled, (size_t)(slash - spelled));
        parent[slash - spelled] = '\0';
    }
    char found[PATH_MAX];
    if (realpath(parent, found) == NULL) return false;
    const char *separator = strcmp(found, "/") == 0 ? "" : "/";
    if (strlen(found) + strlen(name) + 1 >= PATH_MAX) return false;
    stpcpy(stpcpy(stpcpy(resolved, found), separator), name);
    return is_inside_folder(resolved);
}

#pragma clang attribute pop

#endif
