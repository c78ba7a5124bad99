// The floor: plain LMDB in C on the same bytes.
#ifndef RAW_LMDB_H
#define RAW_LMDB_H

#include <stddef.h>
#include <stdint.h>

typedef struct raw_store raw_store;
typedef struct raw_changes raw_changes;

// Opens a store's folder with plain LMDB and every table in it. Read-only takes no locks, so that the same process
// may have the store open. NULL on failure.
raw_store *raw_open(const char *folder, int read_only);
void raw_close(raw_store *store);

// One view: a read transaction, a scan of the index entries that begin with a prefix, a look-up of each record (the
// record's key is the last 16 bytes of the entry's), and every byte of it read. Returns the records, -1 on failure.
int raw_view(raw_store *store, const char *index, const char *records, const void *prefix, size_t length, uint64_t *sum);

// Reads the entries of a range of keys, from `start` up to but not including `end`, at most `limit` entries. Without `records`
// (NULL) the bytes of the entries themselves are read. In a separate transaction. Returns the entries, -1 on failure.
int raw_scan(raw_store *store, const char *index, const char *records, const uint8_t *start, size_t start_length,
             const uint8_t *end, size_t end_length, int limit, uint64_t *sum);

// Reads every index entry from one on, like raw_scan.
int raw_rest(raw_store *store, const char *index, const char *records, const void *start, size_t length, uint64_t *sum);

// One look-up of a key by which nothing is found, in a separate transaction: the minimum cost of a count.
int raw_look_up(raw_store *store, const char *table, const void *key, size_t length);

// What has to be put and deleted in `copy` to make it the same as `original`. NULL on failure.
raw_changes *raw_difference(raw_store *original, raw_store *copy);
size_t raw_put_count(const raw_changes *changes);
size_t raw_delete_count(const raw_changes *changes);
size_t raw_byte_count(const raw_changes *changes);
void raw_free_changes(raw_changes *changes);

// Applies changes in one durable transaction. Returns LMDB's code.
int raw_apply(raw_store *store, const raw_changes *changes);

// One 4 KiB write and a flush of it, at a place of the file that exists already. Returns 0, or the system's error.
int raw_flush(int descriptor);

#endif
