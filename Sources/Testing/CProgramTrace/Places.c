/// Finds out which files of the folder a call is about. Everything is read from /proc, so that nothing has to be kept about
/// duplicated, inherited and passed descriptors.
#include "Recording.h"

#if PROGRAM_TRACE_IS_SUPPORTED

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/uio.h>
#include <unistd.h>

bool is_inside(const char *path) {
    size_t length = strlen(traced_folder);
    return strncmp(path, traced_folder, length) == 0 && (path[length] == '/' || path[length] == 0);
}

// MARK: Memory

bool read_memory(pid_t thread, uint64_t address, void *to, size_t length) {
    for (size_t done = 0; done < length;) {
        struct iovec own = {(char *)to + done, length - done}, its = {(void *)(uintptr_t)(address + done), length - done};
        ssize_t count = process_vm_readv(thread, &own, 1, &its, 1, 0);
        if (count <= 0) return false;
        done += count;
    }
    return true;
}

/// Reads page by page: the page behind the text may not exist.
static bool read_text(pid_t thread, uint64_t address, char *to, size_t size) {
    for (size_t used = 0; used < size;) {
        size_t count = page_size - (address + used) % page_size;
        if (count > size - used) count = size - used;
        if (!read_memory(thread, address + used, to + used, count)) return false;
        if (memchr(to + used, 0, count)) return true;
        used += count;
    }
    return false;
}

// MARK: Descriptors

static bool read_link(const char *name, char to[path_size]) {
    ssize_t count = readlink(name, to, path_size - 1);
    if (count < 0) return false;
    to[count] = 0;
    return true;
}

bool find_descriptor(const struct task *task, int descriptor, bool must_be_regular, struct opened *file) {
    char name[64], text[512];
    struct stat status;
    snprintf(name, sizeof name, "/proc/%d/fd/%d", task->thread, descriptor);
    if (descriptor < 0 || !read_link(name, file->path) || !is_inside(file->path)) return false;
    if (stat(name, &status) != 0) return false;
    if (!S_ISREG(status.st_mode) && (must_be_regular || !S_ISDIR(status.st_mode))) return false;
    *file = (struct opened){.inode = status.st_ino, .size = status.st_size};
    // The path is part of the value that was just replaced.
    if (!read_link(name, file->path)) return false;
    snprintf(name, sizeof name, "/proc/%d/fdinfo/%d", task->thread, descriptor);
    int information = open(name, O_RDONLY | O_CLOEXEC);
    ssize_t count = information < 0 ? -1 : read(information, text, sizeof text - 1);
    if (information >= 0) close(information);
    if (count <= 0) return false;
    text[count] = 0;
    const char *position = strstr(text, "pos:"), *flags = strstr(text, "flags:");
    if (position) file->position = strtoll(position + 4, NULL, 10);
    if (flags) file->flags = (int)strtoll(flags + 6, NULL, 8);
    return true;
}

// MARK: Paths

/// The tracer's own links of /proc/self and /dev lead to its own descriptors.
static bool replace_prefix(const struct task *task, const char *text, char full[path_size]) {
    static const char *const prefixes[][2] = {
        {"/proc/self/", ""}, {"/proc/thread-self/", ""}, {"/dev/fd/", "fd/"}, {"/dev/stdin", "fd/0"}, {"/dev/stdout", "fd/1"},
        {"/dev/stderr", "fd/2"}};
    for (size_t index = 0; index < sizeof prefixes / sizeof *prefixes; index++) {
        size_t length = strlen(prefixes[index][0]);
        if (strncmp(text, prefixes[index][0], length)) continue;
        snprintf(full, path_size, "/proc/%d/%s%s", task->thread, prefixes[index][1], text + length);
        return true;
    }
    return false;
}

static bool is_descriptor_link(const char *path) {
    int process, descriptor, end = 0;
    return sscanf(path, "/proc/%d/fd/%d%n", &process, &descriptor, &end) == 2 && path[end] == 0;
}

/// Fills in what is at a path whose folder is real.
static void look(struct place *place, const char *real, const char *name) {
    struct stat status;
    char path[path_size];
    if (stat(real, &status) == 0) place->folder = status.st_ino;
    place->is_inside = is_inside(real);
    int length = snprintf(path, sizeof path, "%s/%s", strcmp(real, "/") ? real : "", name);
    if (length < 0 || (size_t)length >= sizeof path) return;
    memcpy(place->path, path, length + 1);
    place->exists = lstat(path, &status) == 0;
    if (!place->exists) return;
    place->inode = status.st_ino;
    place->mode = status.st_mode;
    place->size = status.st_size;
}

bool find_place(const struct task *task, int folder, uint64_t address, bool follows_links, struct place *place) {
    char text[PATH_MAX], full[path_size], real[PATH_MAX], base[path_size], name[64];
    *place = (struct place){0};
    if (!read_text(task->thread, address, text, sizeof text)) return false;
    if (!replace_prefix(task, text, full)) {
        if (text[0] == '/') {
            snprintf(full, sizeof full, "%s", text);
        } else {
            if (folder == AT_FDCWD) {
                snprintf(name, sizeof name, "/proc/%d/cwd", task->thread);
            } else {
                snprintf(name, sizeof name, "/proc/%d/fd/%d", task->thread, folder);
            }
            if (!read_link(name, base)) return false;
            if (snprintf(full, sizeof full, "%s/%s", base, text) >= (int)sizeof full) return false;
        }
    }
    // Each round follows one link.
    for (int round = 0; round < 40; round++) {
        size_t length = strlen(full);
        while (length > 1 && full[length - 1] == '/') full[--length] = 0;
        struct stat status;
        if (follows_links && is_descriptor_link(full)) {
            // It leads to the open file, whatever its name is now.
            if (!read_link(full, place->path) || stat(full, &status) != 0) return false;
            place->is_inside = is_inside(place->path);
            place->exists = true;
            place->inode = status.st_ino;
            place->mode = status.st_mode;
            place->size = status.st_size;
            return true;
        }
        char *slash = strrchr(full, '/');
        if (!slash) return false;
        const char *last = slash + 1;
        if (!strcmp(last, ".") || !strcmp(last, "..") || !*last) {
            if (!realpath(full, real)) return false;
            if (!strcmp(real, "/")) return look(place, real, ""), true;
            snprintf(full, sizeof full, "%s", real);
            slash = strrchr(full, '/');
            last = slash + 1;
        }
        if (strlen(last) > NAME_MAX) return false;
        char own_name[NAME_MAX + 1];
        strcpy(own_name, last);
        *slash = 0;
        if (!realpath(*full ? full : "/", real)) return false;
        look(place, real, own_name);
        if (!place->exists || !S_ISLNK(place->mode) || !follows_links) return true;
        char target[path_size];
        if (!read_link(place->path, target)) return false;
        int count = target[0] == '/' ? snprintf(full, sizeof full, "%s", target)
                                     : snprintf(full, sizeof full, "%s/%s", strcmp(real, "/") ? real : "", target);
        if (count < 0 || (size_t)count >= sizeof full) return false;
    }
    return false;
}

// MARK: Content of a folder

void log_content(pid_t process, int descriptor, const char *path, ino_t inode) {
    static char bytes[1 << 20], zeros[page_size];
    struct stat status;
    if (fstat(descriptor, &status) != 0) return;
    off_t end = 0;
    ssize_t count;
    for (off_t offset = 0; (count = pread(descriptor, bytes, sizeof bytes, offset)) > 0; offset += count) {
        for (ssize_t start = 0; start < count; start += page_size) {
            size_t length = count - start < page_size ? count - start : page_size;
            // Holes are not copied.
            if (!memcmp(bytes + start, zeros, length)) continue;
            log_event(process, "write", path, "ino=%lu off=%lld len=%zu data=%llu", (unsigned long)inode,
                      (long long)(offset + start), length, (unsigned long long)log_bytes(bytes + start, length));
            end = offset + start + length;
        }
    }
    if (end < status.st_size) {
        log_event(process, "size", path, "ino=%lu size=%lld", (unsigned long)inode, (long long)status.st_size);
    }
}

/// The files with several names that were logged already.
static ino_t *linked;
static size_t linked_count;

static bool is_logged(ino_t inode) {
    for (size_t index = 0; index < linked_count; index++) {
        if (linked[index] == inode) return true;
    }
    ino_t *longer = realloc(linked, (linked_count + 1) * sizeof *linked);
    if (!longer) return false;
    linked = longer;
    linked[linked_count++] = inode;
    return false;
}

void log_tree(pid_t process, const char *path, ino_t folder) {
    struct stat status;
    char target[path_size] = "";
    if (lstat(path, &status) != 0) return;
    unsigned long inode = status.st_ino;
    if (!S_ISDIR(status.st_mode) && status.st_nlink > 1 && is_logged(status.st_ino)) {
        log_event(process, "link", path, "ino=%lu dir=%lu", inode, (unsigned long)folder);
        return;
    }
    char kind = S_ISDIR(status.st_mode) ? 'd' : S_ISLNK(status.st_mode) ? 'l' : S_ISREG(status.st_mode) ? 'f' : 0;
    if (!kind) return;
    if (kind == 'l' && !read_link(path, target)) return;
    log_target(process, "create", path, target, "ino=%lu dir=%lu kind=%c mode=%o", inode, (unsigned long)folder, kind,
               (unsigned)status.st_mode & 07777);
    if (kind == 'd') log_folder(process, path, status.st_ino);
    if (kind != 'f') return;
    int descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
    if (descriptor < 0) {
        refuse(process, path, "the file cannot be read");
        return;
    }
    log_content(process, descriptor, path, status.st_ino);
    close(descriptor);
}

void log_folder(pid_t process, const char *path, ino_t inode) {
    if (!strcmp(path, traced_folder)) linked_count = 0;
    struct dirent **entries = NULL;
    // Sorted, so that a report is the same each time.
    int count = scandir(path, &entries, NULL, alphasort);
    if (count < 0) {
        refuse(process, path, "the folder cannot be read");
        return;
    }
    char *child = malloc(path_size);
    for (int index = 0; index < count; index++) {
        const char *name = entries[index]->d_name;
        bool is_child = strcmp(name, ".") && strcmp(name, "..");
        if (child && is_child && snprintf(child, path_size, "%s/%s", path, name) < path_size) log_tree(process, child, inode);
        free(entries[index]);
    }
    free(child);
    free(entries);
}

#endif
