#include "CRawLMDB.h"

#include <errno.h>
#include <limits.h>
#include <lmdb.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

// The engine opens at most 128 tables; LMDB's longest key has 511 bytes.
enum { TABLES = 128, NAME = 64, KEY = 511 };

struct raw_store {
    MDB_env *env;
    MDB_txn *reader;
    size_t count;
    char names[TABLES][NAME];
    MDB_dbi tables[TABLES];
};

typedef struct {
    size_t table;
    int is_put;
    MDB_val key, value;
} change;

struct raw_changes {
    size_t count, capacity, puts, bytes;
    change *list;
};

static int open_tables(raw_store *store) {
    MDB_txn *txn;
    MDB_dbi main;
    MDB_cursor *cursor;
    MDB_val key, value;
    int code = mdb_txn_begin(store->env, NULL, MDB_RDONLY, &txn);
    if (code) return code;
    code = mdb_dbi_open(txn, NULL, 0, &main);
    if (!code) code = mdb_cursor_open(txn, main, &cursor);
    if (code) {
        mdb_txn_abort(txn);
        return code;
    }
    while (!mdb_cursor_get(cursor, &key, &value, MDB_NEXT)) {
        if (key.mv_size >= NAME) continue;
        // Going on without a table would measure less than the store does.
        if (store->count == TABLES) {
            code = ENOSPC;
            break;
        }
        char *name = store->names[store->count];
        memcpy(name, key.mv_data, key.mv_size);
        name[key.mv_size] = 0;
        if (!mdb_dbi_open(txn, name, 0, &store->tables[store->count])) store->count++;
    }
    mdb_cursor_close(cursor);
    if (code) {
        mdb_txn_abort(txn);
        return code;
    }
    return mdb_txn_commit(txn);
}

raw_store *raw_open(const char *folder, int read_only) {
    raw_store *store = calloc(1, sizeof *store);
    if (!store) return NULL;
    unsigned flags = MDB_NOTLS | MDB_NORDAHEAD | (read_only ? MDB_RDONLY | MDB_NOLOCK : 0);
    if (mdb_env_create(&store->env) || mdb_env_set_maxdbs(store->env, TABLES + 2)
        || mdb_env_open(store->env, folder, flags, 0600) || open_tables(store)
        || mdb_txn_begin(store->env, NULL, MDB_RDONLY, &store->reader)) {
        raw_close(store);
        return NULL;
    }
    mdb_txn_reset(store->reader);
    return store;
}

void raw_close(raw_store *store) {
    if (store->reader) mdb_txn_abort(store->reader);
    if (store->env) mdb_env_close(store->env);
    free(store);
}

static int find(const raw_store *store, const char *name, MDB_dbi *table) {
    for (size_t i = 0; i < store->count; i++) {
        if (!strcmp(store->names[i], name)) {
            *table = store->tables[i];
            return 1;
        }
    }
    return 0;
}

static uint64_t sum_of(MDB_val value) {
    uint64_t sum = 0, word;
    const char *bytes = value.mv_data;
    size_t at = 0;
    for (; at + 8 <= value.mv_size; at += 8) {
        memcpy(&word, bytes + at, 8);
        sum += word;
    }
    for (; at < value.mv_size; at++) sum += (unsigned char)bytes[at];
    return sum;
}

static int compare_keys(MDB_val left, MDB_val right) {
    size_t length = left.mv_size < right.mv_size ? left.mv_size : right.mv_size;
    int order = memcmp(left.mv_data, right.mv_data, length);
    return order ? order : (left.mv_size > right.mv_size) - (left.mv_size < right.mv_size);
}

int raw_scan(raw_store *store, const char *index, const char *records, const uint8_t *start, size_t start_length,
             const uint8_t *end, size_t end_length, int limit, uint64_t *sum) {
    MDB_dbi by, of = 0;
    MDB_cursor *cursor;
    if (!find(store, index, &by) || (records && !find(store, records, &of)) || mdb_txn_renew(store->reader)) return -1;
    int count = -1;
    if (!mdb_cursor_open(store->reader, by, &cursor)) {
        MDB_val key = {start_length, (void *)start}, last = {end_length, (void *)end}, value, record;
        count = 0;
        *sum = 0;
        for (int code = mdb_cursor_get(cursor, &key, &value, MDB_SET_RANGE); !code && count < limit;
             code = mdb_cursor_get(cursor, &key, &value, MDB_NEXT)) {
            if (compare_keys(key, last) >= 0) break;
            if (records) {
                if (key.mv_size < 16) break;
                MDB_val id = {16, (char *)key.mv_data + key.mv_size - 16};
                if (mdb_get(store->reader, of, &id, &record)) break;
                *sum += sum_of(record);
            } else {
                *sum += sum_of(key) + sum_of(value);
            }
            count++;
        }
        mdb_cursor_close(cursor);
    }
    mdb_txn_reset(store->reader);
    return count;
}

int raw_view(raw_store *store, const char *index, const char *records, const void *prefix, size_t length, uint64_t *sum) {
    uint8_t end[KEY + 1];
    if (length > KEY) return -1;
    // A key of the prefix that is longer than any.
    memcpy(end, prefix, length);
    memset(end + length, 0xFF, sizeof end - length);
    return raw_scan(store, index, records, prefix, length, end, sizeof end, INT_MAX, sum);
}

int raw_rest(raw_store *store, const char *index, const char *records, const void *start, size_t length, uint64_t *sum) {
    uint8_t end[KEY + 1];
    memset(end, 0xFF, sizeof end);
    return raw_scan(store, index, records, start, length, end, sizeof end, INT_MAX, sum);
}

int raw_look_up(raw_store *store, const char *table, const void *key, size_t length) {
    MDB_dbi handle;
    MDB_val name = {length, (void *)key}, value;
    if (!find(store, table, &handle) || mdb_txn_renew(store->reader)) return -1;
    int code = mdb_get(store->reader, handle, &name, &value);
    mdb_txn_reset(store->reader);
    return code;
}

static int note(raw_changes *changes, size_t table, MDB_val key, const MDB_val *value) {
    if (changes->count == changes->capacity) {
        size_t capacity = changes->capacity ? changes->capacity * 2 : 16;
        change *list = realloc(changes->list, capacity * sizeof *list);
        if (!list) return 0;
        changes->list = list;
        changes->capacity = capacity;
    }
    size_t length = key.mv_size + (value ? value->mv_size : 0);
    char *copy = malloc(length + 1);
    if (!copy) return 0;
    memcpy(copy, key.mv_data, key.mv_size);
    if (value) memcpy(copy + key.mv_size, value->mv_data, value->mv_size);
    change *next = &changes->list[changes->count++];
    next->table = table;
    next->is_put = value != NULL;
    next->key = (MDB_val){key.mv_size, copy};
    next->value = (MDB_val){value ? value->mv_size : 0, copy + key.mv_size};
    changes->puts += value != NULL;
    changes->bytes += length;
    return 1;
}

static int compare_table(raw_store *original, raw_store *copy, size_t index, raw_changes *changes) {
    MDB_dbi other;
    MDB_cursor *a, *b;
    MDB_val ka, va, kb, vb;
    if (!find(copy, original->names[index], &other)) return 0;
    if (mdb_cursor_open(original->reader, original->tables[index], &a)) return 0;
    if (mdb_cursor_open(copy->reader, other, &b)) {
        mdb_cursor_close(a);
        return 0;
    }
    int fine = 1;
    int more_a = !mdb_cursor_get(a, &ka, &va, MDB_FIRST), more_b = !mdb_cursor_get(b, &kb, &vb, MDB_FIRST);
    while (fine && (more_a || more_b)) {
        int order = !more_a ? 1 : !more_b ? -1 : compare_keys(ka, kb);
        if (order > 0) {
            fine = note(changes, index, kb, NULL);
        } else if (order < 0 || va.mv_size != vb.mv_size || memcmp(va.mv_data, vb.mv_data, va.mv_size)) {
            fine = note(changes, index, ka, &va);
        }
        if (order <= 0) more_a = !mdb_cursor_get(a, &ka, &va, MDB_NEXT);
        if (order >= 0) more_b = !mdb_cursor_get(b, &kb, &vb, MDB_NEXT);
    }
    mdb_cursor_close(a);
    mdb_cursor_close(b);
    return fine;
}

raw_changes *raw_difference(raw_store *original, raw_store *copy) {
    raw_changes *changes = calloc(1, sizeof *changes);
    if (!changes) return NULL;
    if (mdb_txn_renew(original->reader)) {
        raw_free_changes(changes);
        return NULL;
    }
    if (mdb_txn_renew(copy->reader)) {
        mdb_txn_reset(original->reader);
        raw_free_changes(changes);
        return NULL;
    }
    int fine = 1;
    for (size_t i = 0; fine && i < original->count; i++) fine = compare_table(original, copy, i, changes);
    mdb_txn_reset(original->reader);
    mdb_txn_reset(copy->reader);
    if (fine) return changes;
    raw_free_changes(changes);
    return NULL;
}

size_t raw_put_count(const raw_changes *changes) { return changes->puts; }
size_t raw_delete_count(const raw_changes *changes) { return changes->count - changes->puts; }
size_t raw_byte_count(const raw_changes *changes) { return changes->bytes; }

void raw_free_changes(raw_changes *changes) {
    if (!changes) return;
    for (size_t i = 0; i < changes->count; i++) free(changes->list[i].key.mv_data);
    free(changes->list);
    free(changes);
}

int raw_apply(raw_store *store, const raw_changes *changes) {
    MDB_txn *txn;
    int code = mdb_txn_begin(store->env, NULL, 0, &txn);
    for (size_t i = 0; !code && i < changes->count; i++) {
        MDB_val key = changes->list[i].key, value = changes->list[i].value;
        MDB_dbi table = store->tables[changes->list[i].table];
        code = changes->list[i].is_put ? mdb_put(txn, table, &key, &value, 0) : mdb_del(txn, table, &key, NULL);
        if (code) mdb_txn_abort(txn);
    }
    return code ? code : mdb_txn_commit(txn);
}

int raw_flush(int descriptor) {
    static char page[4096];
    page[0]++;
    if (pwrite(descriptor, page, sizeof page, 0) != sizeof page) return errno;
    return fdatasync(descriptor) ? errno : 0;
}
