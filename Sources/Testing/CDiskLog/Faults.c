#include "Recording.h"

#if DISK_LOG_IS_SUPPORTED

#include <errno.h>
#include <signal.h>
#include <sys/syscall.h>
#include <unistd.h>

/// Not a value of any fault.
static const uint32_t no_effect = UINT32_MAX;

void disk_log_set_fault(const struct disk_log_fault *fault)
{
    if (!disk_log_enter()) return;
    disk_log_shared->fault = *fault;
    disk_log_shared->has_fault = true;
    disk_log_shared->fault_met = disk_log_shared->fault_hit = 0;
    disk_log_exit();
}

void disk_log_clear_fault(void)
{
    if (!disk_log_enter()) return;
    disk_log_shared->has_fault = false;
    disk_log_exit();
}

uint64_t disk_log_fault_met(void) { return disk_log_shared == NULL ? 0 : disk_log_shared->fault_met; }
uint64_t disk_log_fault_hit(void) { return disk_log_shared == NULL ? 0 : disk_log_shared->fault_hit; }

/// Counts a call and returns the effect of the fault on it.
static uint32_t effect_on(const struct disk_log_call *call)
{
    struct disk_log_shared *shared = disk_log_shared;
    const struct disk_log_fault *fault = &shared->fault;
    uint32_t kind = call->entry.kind;
    bool is_met = fault->effect == disk_log_kills
        ? kind == disk_log_write || kind == disk_log_flush || kind == disk_log_flush_data
        : kind == fault->kind;
    if (!shared->has_fault || !is_met) return no_effect;
    if (fault->only != 0 && fault->only != call->category) return no_effect;
    uint64_t number = ++shared->fault_met;
    if (number < fault->first) return no_effect;
    if (fault->count != 0 && number - fault->first >= fault->count) return no_effect;
    shared->fault_hit++;
    return fault->effect;
}

long disk_log_ask_kernel(const struct disk_log_call *call)
{
    const long *a = call->arguments;
    return syscall(call->number, a[0], a[1], a[2], a[3], a[4], a[5]);
}

/// Writes the first half. A recorded write always has several parts; the last one is cut.
static long write_half(struct disk_log_call *call)
{
    struct iovec parts[IOV_MAX];
    if (call->part_count > IOV_MAX) return disk_log_ask_kernel(call);
    uint64_t left = call->entry.length / 2;
    int count = 0;
    for (; left > 0; count++) {
        parts[count] = call->parts[count];
        if (parts[count].iov_len > left) parts[count].iov_len = left;
        left -= parts[count].iov_len;
    }
    call->arguments[1] = (long)parts;
    call->arguments[2] = count;
    return disk_log_ask_kernel(call);
}

long disk_log_make(struct disk_log_call *call)
{
    struct disk_log_entry *entry = &call->entry;
    uint32_t effect = effect_on(call);
    long result = -1;
    // The lock is one that the next process can take over.
    if (effect == disk_log_kills) raise(SIGKILL);
    if (effect == disk_log_fails) {
        errno = disk_log_shared->fault.error;
    } else if (effect == disk_log_writes_short && entry->kind == disk_log_write) {
        result = write_half(call);
    } else {
        result = disk_log_ask_kernel(call);
    }
    if (entry->kind == disk_log_write && result > 0) entry->byte_count = (uint64_t)result;
    entry->result = result;
    if (effect == disk_log_fails_after) {
        errno = disk_log_shared->fault.error;
        entry->result = -1;
    }
    if (entry->result < 0) entry->error = errno;
    return result;
}

#pragma clang attribute pop

#endif
