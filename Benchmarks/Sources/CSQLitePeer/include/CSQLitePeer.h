// A store of tasks on SQLite's C API: one connection, every statement prepared once and kept.
#ifndef SQLITE_PEER_H
#define SQLITE_PEER_H

#include <stddef.h>
#include <stdint.h>

#include "CSQLiteSearch.h"

typedef struct sqlite_peer sqlite_peer;

// Stands for NULL where a number may be missing.
#define SQLITE_PEER_NONE INT64_MIN

// The version of the linked library.
const char *sqlite_peer_version(void);

// Opens a database in WAL with `synchronous` FULL, and creates the tables when `schema` is not NULL. NULL on failure,
// also when the pragma does not read back as FULL.
sqlite_peer *sqlite_peer_open(const char *path, const char *schema);
void sqlite_peer_close(sqlite_peer *peer);
// SQLite's message for the last failure.
const char *sqlite_peer_message(sqlite_peer *peer);

// Runs statements that return nothing.
int sqlite_peer_execute(sqlite_peer *peer, const char *sql);

int sqlite_peer_begin(sqlite_peer *peer);
int sqlite_peer_commit(sqlite_peer *peer);

// Inserts a task; what is not named here has its default. Returns SQLite's code, 0 for success, as all of these do.
int sqlite_peer_insert(
    sqlite_peer *peer, const uint8_t *id, const char *text, int64_t state, int64_t created, int64_t updated,
    int64_t completed, const char *zone, int64_t offset, int64_t day, int64_t position, const char *notes);

// Creates a task at the end of a day, in a separate transaction. Several threads may call it.
int sqlite_peer_create(
    sqlite_peer *peer, const uint8_t *id, const char *text, int64_t day, int64_t now, int64_t gap);

// Sets the state and the time of completion of a task, in a separate transaction.
int sqlite_peer_set_state(
    sqlite_peer *peer, const uint8_t *id, int64_t state, int64_t now, const char *zone, int64_t offset);

// Moves a task after another one of its day, in a separate transaction.
int sqlite_peer_reorder(sqlite_peer *peer, const uint8_t *id, const uint8_t *other, int64_t now, int64_t gap);

// Reads the tasks of a day, or of all days from it on, with every column into a structure. Returns their number,
// -1 on failure.
int sqlite_peer_day(sqlite_peer *peer, int64_t day);
int sqlite_peer_from_day(sqlite_peer *peer, int64_t day);
// The ids of the last tasks read, 16 bytes each.
void sqlite_peer_ids(const sqlite_peer *peer, uint8_t *ids);

// Completions in a range of moments. -1 on failure.
int64_t sqlite_peer_count(sqlite_peer *peer, int64_t from, int64_t to);
// Completions of each day of a range, by local days at an offset from UTC. -1 on failure.
int sqlite_peer_count_days(
    sqlite_peer *peer, int64_t from, int64_t to, int64_t offset, int64_t *counts, int64_t capacity);

// Every task as one JSON document, written by SQLite's own functions.
int sqlite_peer_export(sqlite_peer *peer, const char *path);

#endif
