/// Files that are mapped shared and writable. A store to memory is no call: it is found by comparing the file with a copy at each
/// recorded call.
#include "Recording.h"

#if PROGRAM_TRACE_IS_SUPPORTED

#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct mapped {
    ino_t inode;
    int descriptor;
    char *copy;
    size_t size;
    struct mapped *next;
    char path[path_size];
};

static struct mapped *maps;

static struct mapped *map_of(ino_t inode) {
    struct mapped *map = maps;
    while (map && map->inode != inode) map = map->next;
    return map;
}

static char byte_of_copy(const struct mapped *map, size_t offset) { return offset < map->size ? map->copy[offset] : 0; }

/// Logs the bytes of a page that differ from the copy.
static void compare_page(const struct mapped *map, const char *bytes, size_t start, size_t end) {
    size_t first = start, last = end;
    if (end <= map->size && !memcmp(map->copy + start, bytes + start, end - start)) return;
    while (first < end && byte_of_copy(map, first) == bytes[first]) first++;
    if (first == end) return;
    while (byte_of_copy(map, last - 1) == bytes[last - 1]) last--;
    log_event(0, "write", map->path, "ino=%lu off=%zu len=%zu data=%llu map=1", (unsigned long)map->inode, first, last - first,
              (unsigned long long)log_bytes(bytes + first, last - first));
}

static void refresh(struct mapped *map, bool is_logged) {
    struct stat status;
    if (fstat(map->descriptor, &status) != 0 || status.st_size > map_limit) return;
    char *bytes = malloc(status.st_size + page_size);
    if (!bytes) return;
    ssize_t count = pread(map->descriptor, bytes, status.st_size, 0);
    size_t size = count > 0 ? count : 0;
    for (size_t start = 0; is_logged && start < size; start += page_size) {
        compare_page(map, bytes, start, start + page_size < size ? start + page_size : size);
    }
    free(map->copy);
    map->copy = bytes;
    map->size = size;
}

void compare_maps(void) {
    for (struct mapped *map = maps; map; map = map->next) refresh(map, true);
}

void watch_map(const struct task *task, int descriptor) {
    if (map_of(task->file.inode)) return;
    char name[64];
    snprintf(name, sizeof name, "/proc/%d/fd/%d", task->thread, descriptor);
    int own = open(name, O_RDONLY | O_CLOEXEC);
    struct mapped *map = calloc(1, sizeof *map);
    if (own < 0 || !map) {
        refuse(task->process, task->file.path, "a file that is mapped for writing cannot be read");
        return;
    }
    if (task->file.size > map_limit) {
        refuse(task->process, task->file.path, "a file that is mapped for writing is larger than 64 MiB");
        return;
    }
    map->inode = task->file.inode;
    map->descriptor = own;
    map->next = maps;
    strcpy(map->path, task->file.path);
    maps = map;
    refresh(map, false);
}

/// The copy follows the recorded calls, so that the next comparison finds stores only.
void follow_size(ino_t inode, size_t size) {
    struct mapped *map = map_of(inode);
    if (!map || size > (size_t)map_limit) return;
    char *copy = realloc(map->copy, size + page_size);
    if (!copy) return;
    map->copy = copy;
    if (size > map->size) memset(map->copy + map->size, 0, size - map->size);
    map->size = size;
}

void follow_write(ino_t inode, off_t offset, const char *bytes, size_t length) {
    struct mapped *map = map_of(inode);
    if (!map || offset + (off_t)length > map_limit) return;
    if (offset + length > map->size) follow_size(inode, offset + length);
    if (offset + length <= map->size) memcpy(map->copy + offset, bytes, length);
}

/// The kernel has the list of maps: nothing has to be followed through fork, mremap and munmap.
void log_map_flush(const struct task *task, uint64_t address, uint64_t length) {
    char name[64], line[path_size + 128];
    snprintf(name, sizeof name, "/proc/%d/maps", task->thread);
    FILE *list = fopen(name, "re");
    while (list && fgets(line, sizeof line, list)) {
        uint64_t start, end, offset, inode;
        char rights[8];
        int count = sscanf(line, "%" SCNx64 "-%" SCNx64 " %7s %" SCNx64 " %*s %" SCNu64, &start, &end, rights, &offset, &inode);
        if (count != 5 || rights[3] != 's' || end <= address || start >= address + length) continue;
        struct mapped *map = map_of(inode);
        if (!map) continue;
        uint64_t from = address > start ? address : start, to = address + length < end ? address + length : end;
        log_event(task->process, "sync", map->path, "ino=%lu data=1 off=%llu len=%llu", (unsigned long)map->inode,
                  (unsigned long long)(offset + from - start), (unsigned long long)(to - from));
    }
    if (list) fclose(list);
}

#endif
