#include "Recording.h"

#if DISK_LOG_IS_SUPPORTED

#include <errno.h>
#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

// How pages are counted: the map is made unreadable, so that the first read of each page is a fault; the handler counts
// it, makes that page readable again, and the read is repeated. Only timing differs.

// MARK: Maps

/// The read-only map of a file. It is considered gone when the descriptor it was made from is closed, as LMDB does, and
/// replaced by the next map of the same file, as when LMDB's map grows.
struct file_map {
    /// The opening that it was made from; 0 for none.
    uint64_t file;
    dev_t device;
    ino_t inode;
    char *start;
    size_t length;
};

enum { map_count = 64 };

/// Guarded by the recorder's lock.
static struct file_map maps[map_count];

// MARK: The watch

/// The handler reads these without a lock, on any thread.
static atomic_uintptr_t watched_start;
static atomic_size_t watched_length;
static atomic_bool is_counting;
/// A system limit was exceeded; the count is unusable.
static atomic_bool has_failed;
static atomic_uint_least64_t touched_count;
/// Changes whenever pages are made unreadable.
static atomic_uint protection;
static size_t watched_page_size;
/// The position in the file of the first watched page.
static size_t watched_offset;
/// A bit for each page, kept as long as the handler. Only the used part takes memory.
static atomic_uint_least64_t *touched;
static const size_t touched_bytes = (size_t)1 << 25;

/// The watched map, if any. Guarded by the recorder's lock.
static struct file_map *watched;

static struct sigaction previous;

static long protect(uintptr_t start, size_t length, int protections)
{
    return syscall(SYS_mprotect, start, length, protections);
}

/// Makes the page of an address readable and counts its first read. Returns false if the fault was no read of a watched
/// page: at another address, or twice in a row at the same.
static bool allows(uintptr_t address)
{
    static _Thread_local uintptr_t last_page;
    static _Thread_local unsigned last_protection;
    uintptr_t start = atomic_load(&watched_start);
    if (start == 0 || address < start || address - start >= atomic_load(&watched_length)) return false;
    size_t number = (address - start) / watched_page_size;
    uintptr_t page = start + number * watched_page_size;
    unsigned now = atomic_load(&protection);
    if (last_page == page && last_protection == now) return false;
    last_page = page;
    last_protection = now;
    if (atomic_load(&is_counting)) {
        uint64_t bit = (uint64_t)1 << (number % 64);
        if (!(atomic_fetch_or(&touched[number / 64], bit) & bit)) atomic_fetch_add(&touched_count, 1);
    }
    // Another thread may be here for the same page. It is then readable for both and was counted once.
    if (protect(page, watched_page_size, PROT_READ) == 0) return true;
    // The system limits the number of separate mappings.
    atomic_store(&has_failed, true);
    return protect(start, atomic_load(&watched_length), PROT_READ) == 0;
}

/// Passes a foreign fault to the previous handler.
static void pass_on(int number, siginfo_t *information, void *context)
{
    static _Thread_local bool is_passing;
    if (!is_passing && previous.sa_handler != SIG_DFL && previous.sa_handler != SIG_IGN) {
        is_passing = true;
        if (previous.sa_flags & SA_SIGINFO) previous.sa_sigaction(number, information, context);
        else previous.sa_handler(number);
        is_passing = false;
        return;
    }
    // A fault is raised again when the instruction is repeated; a signal that was sent has to be sent again.
    signal(number, SIG_DFL);
    if (information->si_code <= 0) raise(number);
}

static void faulted(int number, siginfo_t *information, void *context)
{
    int error = errno;
    bool is_allowed = information->si_code == SEGV_ACCERR && allows((uintptr_t)information->si_addr);
    if (!is_allowed) pass_on(number, information, context);
    errno = error;
}

/// The handler stays installed when the watch ends: a thread may be about to enter it.
static int install_handler(void)
{
    struct sigaction current, action = {.sa_sigaction = faulted, .sa_flags = SA_SIGINFO | SA_ONSTACK};
    if (sigaction(SIGSEGV, NULL, &current) != 0) return errno;
    if ((current.sa_flags & SA_SIGINFO) && current.sa_sigaction == faulted) return 0;
    previous = current;
    return sigaction(SIGSEGV, &action, NULL) == 0 ? 0 : errno;
}

/// Makes a map unreadable so that its faults are counted.
static int hide(struct file_map *map)
{
    if (map->length <= watched_offset || map->length / watched_page_size > touched_bytes * 8) return ENOMEM;
    uintptr_t start = (uintptr_t)map->start + watched_offset;
    size_t length = map->length - watched_offset;
    atomic_fetch_add(&protection, 1);
    atomic_store(&watched_length, length);
    atomic_store(&watched_start, start);
    watched = map;
    return protect(start, length, PROT_NONE) == 0 ? 0 : errno;
}

/// Makes the watched map readable. Faults in progress find it so.
static void show(void)
{
    atomic_store(&is_counting, false);
    if (watched != NULL) protect((uintptr_t)watched->start, watched->length, PROT_READ);
    watched = NULL;
}

/// Starts a new count.
static int start_counting(struct file_map *map, size_t page_size, size_t first_page)
{
    int error = install_handler();
    if (error != 0) return error;
    if (touched == NULL) {
        void *memory = mmap(
            NULL, touched_bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
        if (memory == MAP_FAILED) return errno;
        touched = memory;
    } else if (madvise(touched, touched_bytes, MADV_DONTNEED) != 0) {
        return errno;
    }
    watched_page_size = page_size;
    watched_offset = first_page * page_size;
    atomic_store(&touched_count, 0);
    atomic_store(&has_failed, false);
    atomic_store(&is_counting, true);
    error = hide(map);
    if (error != 0) show();
    return error;
}

int disk_log_watch_pages_begin(const char *file, size_t page_size, size_t first_page)
{
    size_t system_page_size = (size_t)sysconf(_SC_PAGESIZE);
    if (page_size < system_page_size || page_size % system_page_size != 0) return ENOTSUP;
    struct stat status;
    if (stat(file, &status) != 0) return errno;
    if (!disk_log_enter()) return ENOENT;
    int error = ENOENT;
    for (size_t index = 0; index < map_count && error == ENOENT; index++) {
        struct file_map *map = &maps[index];
        if (map->file == 0 || map->device != status.st_dev || map->inode != status.st_ino) continue;
        error = watched == NULL ? start_counting(map, page_size, first_page) : EBUSY;
    }
    disk_log_exit();
    return error;
}

int disk_log_watch_pages_end(uint64_t *count)
{
    if (!disk_log_enter()) return ENOENT;
    int error = watched == NULL ? ENOENT : atomic_load(&has_failed) ? ENOMEM : 0;
    *count = atomic_load(&touched_count);
    show();
    disk_log_exit();
    return error;
}

// MARK: What the recorder sees

/// The memory of a map may be reused from now on.
static void let_go(const struct file_map *map)
{
    if (map->file == 0 || atomic_load(&watched_start) != (uintptr_t)map->start + watched_offset) return;
    atomic_store(&watched_start, 0);
}

void disk_log_note_map(uint64_t file, int descriptor, void *start, size_t length)
{
    struct stat status;
    if (fstat(descriptor, &status) != 0) return;
    struct file_map *place = NULL;
    for (size_t index = 0; index < map_count; index++) {
        struct file_map *map = &maps[index];
        if (map->file == file || (map->file == 0 && place == NULL)) place = map;
        if (map->file == file) break;
    }
    if (place == NULL) return;
    let_go(place);
    *place = (struct file_map){file, status.st_dev, status.st_ino, start, length};
    if (place == watched && hide(place) != 0) atomic_store(&has_failed, true);
}

void disk_log_forget_map(uint64_t file)
{
    for (size_t index = 0; index < map_count; index++) {
        struct file_map *map = &maps[index];
        if (map->file != file) continue;
        let_go(map);
        map->file = 0;
        if (watched == map) watched = NULL;
    }
}

void disk_log_forget_maps(void)
{
    show();
    atomic_store(&watched_start, 0);
    memset(maps, 0, sizeof maps);
}

#pragma clang attribute pop

#else

#include "CDiskLog.h"

#include <errno.h>

int disk_log_watch_pages_begin(const char *file, size_t page_size, size_t first_page)
{
    (void)file;
    (void)page_size;
    (void)first_page;
    return ENOTSUP;
}

int disk_log_watch_pages_end(uint64_t *count) { *count = 0; return ENOTSUP; }

#endif
