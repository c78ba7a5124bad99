#include "Recording.h"

#if DISK_LOG_IS_SUPPORTED

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

/// Only the used part takes memory.
static const size_t capacity = (size_t)1 << 30;
static const size_t log_start = (sizeof(struct disk_log_shared) + 0xFFF) & ~(size_t)0xFFF;

atomic_uint disk_log_generation;
struct disk_log_shared *disk_log_shared;

static pthread_mutex_t beginning = PTHREAD_MUTEX_INITIALIZER;
/// Whether this thread holds the lock: the recorder's own calls are not recorded.
static _Thread_local bool is_inside;

static void lock(void)
{
    // A process killed while holding the lock leaves nothing half done: an entry counts only when complete.
    if (pthread_mutex_lock(&disk_log_shared->lock) == EOWNERDEAD) pthread_mutex_consistent(&disk_log_shared->lock);
    is_inside = true;
}

void disk_log_exit(void)
{
    is_inside = false;
    pthread_mutex_unlock(&disk_log_shared->lock);
}

bool disk_log_enter(void)
{
    if (is_inside || !disk_log_is_armed()) return false;
    lock();
    if (disk_log_shared->is_recording && disk_log_shared->generation == atomic_load(&disk_log_generation)) return true;
    disk_log_exit();
    return false;
}

// MARK: Entries

static char *log_bytes(void) { return (char *)disk_log_shared + log_start; }

/// Entries are aligned to eight bytes.
static uint64_t padded(uint64_t length) { return (length + 7) & ~(uint64_t)7; }

static uint64_t data_length(const struct disk_log_entry *entry)
{
    return entry->path_length + entry->other_path_length + entry->byte_count;
}

void disk_log_append(struct disk_log_call *call)
{
    struct disk_log_shared *shared = disk_log_shared;
    struct disk_log_entry *entry = &call->entry;
    const char *path = call->path == NULL ? "" : disk_log_shown(call->path);
    const char *other_path = call->other_path == NULL ? "" : disk_log_shown(call->other_path);
    entry->process = getpid();
    entry->path_length = (uint32_t)strlen(path);
    entry->other_path_length = (uint32_t)strlen(other_path);
    uint64_t used = shared->used;
    entry->position = used + sizeof *entry;
    uint64_t length = padded(sizeof *entry + data_length(entry));
    if (length > capacity - log_start - used) {
        shared->has_overflowed = true;
        return;
    }
    char *data = log_bytes() + used;
    data = mempcpy(data, entry, sizeof *entry);
    data = mempcpy(data, path, entry->path_length);
    data = mempcpy(data, other_path, entry->other_path_length);
    const struct iovec *part = call->parts;
    for (uint64_t left = entry->byte_count; left > 0; part++) {
        size_t count = part->iov_len < left ? part->iov_len : left;
        data = mempcpy(data, part->iov_base, count);
        left -= count;
    }
    shared->used = used + length;
}

void disk_log_note(uint32_t kind, int64_t value)
{
    int error = errno;
    if (disk_log_enter()) {
        struct disk_log_call mark = {.entry = {.kind = disk_log_mark, .flags = kind, .offset = value}};
        disk_log_append(&mark);
        disk_log_exit();
    }
    errno = error;
}

bool disk_log_next(uint64_t *cursor, struct disk_log_entry *entry)
{
    if (disk_log_shared == NULL || *cursor >= disk_log_shared->used) return false;
    memcpy(entry, log_bytes() + *cursor, sizeof *entry);
    *cursor += padded(sizeof *entry + data_length(entry));
    return true;
}

void disk_log_copy_path(const struct disk_log_entry *entry, uint8_t *into)
{
    memcpy(into, log_bytes() + entry->position, entry->path_length);
}

void disk_log_copy_other_path(const struct disk_log_entry *entry, uint8_t *into)
{
    memcpy(into, log_bytes() + entry->position + entry->path_length, entry->other_path_length);
}

void disk_log_copy_bytes(const struct disk_log_entry *entry, uint8_t *into)
{
    memcpy(into, log_bytes() + entry->position + entry->path_length + entry->other_path_length, entry->byte_count);
}

bool disk_log_overflowed(void) { return disk_log_shared != NULL && disk_log_shared->has_overflowed; }

// MARK: Recordings

/// Creates the shared memory. Returns 0 or an errno value.
static int prepare(void)
{
    if (disk_log_shared != NULL) return 0;
    void *memory = mmap(
        NULL, capacity, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (memory == MAP_FAILED) return errno;
    disk_log_shared = memory;
    pthread_mutexattr_t attributes;
    pthread_mutexattr_init(&attributes);
    pthread_mutexattr_setpshared(&attributes, PTHREAD_PROCESS_SHARED);
    pthread_mutexattr_setrobust(&attributes, PTHREAD_MUTEX_ROBUST);
    int error = pthread_mutex_init(&disk_log_shared->lock, &attributes);
    pthread_mutexattr_destroy(&attributes);
    return error;
}

static int begin(const char *folder)
{
    struct disk_log_shared *shared = disk_log_shared;
    if (shared->is_recording) return EBUSY;
    if (realpath(folder, shared->folder) == NULL) return errno;
    // The root is the only path that ends in a slash.
    shared->folder_length = strcmp(shared->folder, "/") == 0 ? 0 : strlen(shared->folder);
    // Releases the memory of the previous recording.
    if (shared->used > 0) madvise(log_bytes(), padded(shared->used), MADV_REMOVE);
    shared->used = 0;
    shared->files = 0;
    shared->has_overflowed = false;
    shared->has_fault = false;
    shared->fault_met = shared->fault_hit = 0;
    disk_log_forget_all();
    disk_log_forget_maps();
    shared->generation++;
    shared->is_recording = true;
    atomic_store_explicit(&disk_log_generation, shared->generation, memory_order_release);
    return 0;
}

int disk_log_begin(const char *folder)
{
    pthread_mutex_lock(&beginning);
    int error = prepare();
    if (error == 0) {
        lock();
        error = begin(folder);
        disk_log_exit();
    }
    pthread_mutex_unlock(&beginning);
    return error;
}

void disk_log_end(void)
{
    atomic_store(&disk_log_generation, 0);
    if (disk_log_shared == NULL) return;
    lock();
    disk_log_shared->is_recording = false;
    disk_log_forget_maps();
    disk_log_exit();
}

void disk_log_leave(void)
{
    atomic_store(&disk_log_generation, 0);
    disk_log_forget_all();
    disk_log_forget_maps();
    if (disk_log_shared != NULL) munmap(disk_log_shared, capacity);
    disk_log_shared = NULL;
}

pid_t disk_log_fork(void)
{
    // Otherwise another thread could be in the middle of a call that the child would only see half of.
    bool is_recording = disk_log_enter();
    pid_t process = fork();
    if (!is_recording) return process;
    int error = errno;
    // The lock belongs to the parent.
    if (process == 0) is_inside = false;
    else disk_log_exit();
    errno = error;
    return process;
}

#pragma clang attribute pop

#else

// On other systems nothing can be recorded and no call is replaced.
#include "CDiskLog.h"

#include <errno.h>
#include <unistd.h>

int disk_log_begin(const char *folder) { (void)folder; return ENOTSUP; }
void disk_log_end(void) {}
void disk_log_leave(void) {}
void disk_log_note(uint32_t kind, int64_t value) { (void)kind; (void)value; }
bool disk_log_next(uint64_t *cursor, struct disk_log_entry *entry) { (void)cursor; (void)entry; return false; }
void disk_log_copy_bytes(const struct disk_log_entry *entry, uint8_t *into) { (void)entry; (void)into; }
void disk_log_copy_path(const struct disk_log_entry *entry, uint8_t *into) { (void)entry; (void)into; }
void disk_log_copy_other_path(const struct disk_log_entry *entry, uint8_t *into) { (void)entry; (void)into; }
bool disk_log_overflowed(void) { return false; }
void disk_log_set_fault(const struct disk_log_fault *fault) { (void)fault; }
void disk_log_clear_fault(void) {}
uint64_t disk_log_fault_met(void) { return 0; }
uint64_t disk_log_fault_hit(void) { return 0; }
pid_t disk_log_fork(void) { return fork(); }

#endif
