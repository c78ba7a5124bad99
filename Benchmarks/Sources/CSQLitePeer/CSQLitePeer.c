#include "CSQLitePeer.h"

#include <pthread.h>
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// A task, as a program in C would declare it.
typedef struct {
    uint8_t id[16], list[16], parent[16];
    char *text, *zone, *notes, *category, *pattern, *extra;
    int64_t state, created, updated, completed, offset, day, position, epoch, due, due_all_day, reminder, list_order,
        region, bucket, plan_order, auto_carry, sticky, expires, archived, recurring, carried_from, carry_count;
} task;

enum { BEGIN, COMMIT, ROLLBACK, INSERT, LAST, STATE, PLACE, NEXT, MOVE, DAY, FROM_DAY, COUNT, COUNT_DAYS, EXPORT, STATEMENTS };

struct sqlite_peer {
    sqlite3 *db;
    sqlite3_stmt *statements[STATEMENTS];
    pthread_mutex_t lock;
    task *tasks;
    size_t count, capacity;
};

#define COLUMNS                                                                                                        \
    "id, text, state, createdAt, updatedAt, completedAt, completedZone, completedOffsetSeconds, day, position, notes, "   \
    "category, completionEpoch, dueAt, dueIsAllDay, reminderAt, listID, listOrder, region, bucket, planOrder, "         \
    "autoCarry, isSticky, expiresAt, archivedAt, isRecurring, recurringPattern, parentRecurringID, carriedFromDay, "     \
    "carryCount, extra"

// Each state's group has its own end, found by one step in the index.
#define EDGE(state, which, condition)                                                                                  \
    "SELECT " which "(position) AS p FROM task WHERE day = ?1 AND state = " state " AND archivedAt IS NULL" condition

static const char *const texts[STATEMENTS] = {
    [BEGIN] = "BEGIN IMMEDIATE",
    [COMMIT] = "COMMIT",
    [ROLLBACK] = "ROLLBACK",
    [INSERT] = "INSERT INTO task (id, text, state, createdAt, updatedAt, completedAt, completedZone, "
               "completedOffsetSeconds, day, position, notes) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11)",
    [LAST] = "SELECT max(p) FROM (" EDGE("0", "max", "") " UNION ALL " EDGE("1", "max", "") " UNION ALL "
             EDGE("2", "max", "") ")",
    [STATE] = "UPDATE task SET state = ?2, updatedAt = ?3, completedAt = ?4, completedZone = ?5, "
              "completedOffsetSeconds = ?6 WHERE id = ?1",
    [PLACE] = "SELECT day, position FROM task WHERE id = ?1",
    [NEXT] = "SELECT min(p) FROM (" EDGE("0", "min", " AND position > ?2 AND id <> ?3") " UNION ALL "
             EDGE("1", "min", " AND position > ?2 AND id <> ?3") " UNION ALL "
             EDGE("2", "min", " AND position > ?2 AND id <> ?3") ")",
    [MOVE] = "UPDATE task SET position = ?2, updatedAt = ?3 WHERE id = ?1",
    [DAY] = "SELECT " COLUMNS " FROM task WHERE day = ?1 AND archivedAt IS NULL ORDER BY state, position",
    [FROM_DAY] = "SELECT " COLUMNS " FROM task WHERE day >= ?1 AND archivedAt IS NULL ORDER BY day, state, position",
    [COUNT] = "SELECT count(*) FROM task WHERE completedAt >= ?1 AND completedAt < ?2",
    [COUNT_DAYS] = "SELECT (completedAt + ?3) / 86400000000 AS d, count(*) FROM task "
                   "WHERE completedAt >= ?1 AND completedAt < ?2 GROUP BY d",
    [EXPORT] = "SELECT json_object('exportDate', ?1, 'appVersion', '1.0.0', 'tasks', json_group_array(json(t))) FROM "
               "(SELECT json_object('id', lower(hex(id)), 'text', text, 'state', state, 'createdAt', createdAt, "
               "'updatedAt', updatedAt, 'completedAt', completedAt, 'completedZone', completedZone, "
               "'completedOffsetSeconds', completedOffsetSeconds, 'day', day, 'position', position, 'notes', notes, "
               "'completionEpoch', completionEpoch, 'dueIsAllDay', dueIsAllDay, 'listOrder', listOrder, "
               "'region', region, 'bucket', bucket) AS t FROM task ORDER BY day, position)",
};

const char *sqlite_peer_version(void) { return sqlite3_libversion(); }

static int prepare(sqlite_peer *peer) {
    for (int i = 0; i < STATEMENTS; i++) {
        int code = sqlite3_prepare_v3(
            peer->db, texts[i], -1, SQLITE_PREPARE_PERSISTENT, &peer->statements[i], NULL);
        if (code) return code;
    }
    return 0;
}

static int is_full(sqlite_peer *peer) {
    sqlite3_stmt *statement;
    if (sqlite3_prepare_v2(peer->db, "PRAGMA synchronous", -1, &statement, NULL)) return 0;
    int full = sqlite3_step(statement) == SQLITE_ROW && sqlite3_column_int(statement, 0) == 2;
    sqlite3_finalize(statement);
    return full;
}

sqlite_peer *sqlite_peer_open(const char *path, const char *schema) {
    sqlite_peer *peer = calloc(1, sizeof *peer);
    if (!peer) return NULL;
    pthread_mutex_init(&peer->lock, NULL);
    // One connection behind our own lock, so SQLite's is not needed.
    int flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_NOMUTEX;
    if (sqlite3_open_v2(path, &peer->db, flags, NULL)
        || sqlite3_exec(peer->db, "PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL", NULL, NULL, NULL)
        || !is_full(peer) || (schema && sqlite3_exec(peer->db, schema, NULL, NULL, NULL)) || prepare(peer)) {
        fprintf(stderr, "SQLite: %s\n", sqlite3_errmsg(peer->db));
        sqlite_peer_close(peer);
        return NULL;
    }
    return peer;
}

static void forget_tasks(sqlite_peer *peer) {
    for (size_t i = 0; i < peer->count; i++) {
        task *t = &peer->tasks[i];
        free(t->text);
        free(t->zone);
        free(t->notes);
        free(t->category);
        free(t->pattern);
        free(t->extra);
    }
    peer->count = 0;
}

void sqlite_peer_close(sqlite_peer *peer) {
    forget_tasks(peer);
    free(peer->tasks);
    for (int i = 0; i < STATEMENTS; i++) sqlite3_finalize(peer->statements[i]);
    sqlite3_close(peer->db);
    pthread_mutex_destroy(&peer->lock);
    free(peer);
}

const char *sqlite_peer_message(sqlite_peer *peer) { return sqlite3_errmsg(peer->db); }

// Runs a statement that returns no row.
static int run(sqlite_peer *peer, int which) {
    int code = sqlite3_step(peer->statements[which]);
    sqlite3_reset(peer->statements[which]);
    return code == SQLITE_DONE ? 0 : code;
}

int sqlite_peer_execute(sqlite_peer *peer, const char *sql) { return sqlite3_exec(peer->db, sql, NULL, NULL, NULL); }

int sqlite_peer_begin(sqlite_peer *peer) { return run(peer, BEGIN); }
int sqlite_peer_commit(sqlite_peer *peer) { return run(peer, COMMIT); }

static void bind_number(sqlite3_stmt *statement, int at, int64_t number) {
    if (number == SQLITE_PEER_NONE) sqlite3_bind_null(statement, at);
    else sqlite3_bind_int64(statement, at, number);
}

static void bind_text(sqlite3_stmt *statement, int at, const char *text) {
    // The caller's text outlives the step.
    if (text) sqlite3_bind_text(statement, at, text, -1, SQLITE_STATIC);
    else sqlite3_bind_null(statement, at);
}

static void bind_id(sqlite3_stmt *statement, int at, const uint8_t *id) {
    sqlite3_bind_blob(statement, at, id, 16, SQLITE_STATIC);
}

int sqlite_peer_insert(
    sqlite_peer *peer, const uint8_t *id, const char *text, int64_t state, int64_t created, int64_t updated,
    int64_t completed, const char *zone, int64_t offset, int64_t day, int64_t position, const char *notes) {
    sqlite3_stmt *statement = peer->statements[INSERT];
    bind_id(statement, 1, id);
    bind_text(statement, 2, text);
    bind_number(statement, 3, state);
    bind_number(statement, 4, created);
    bind_number(statement, 5, updated);
    bind_number(statement, 6, completed);
    bind_text(statement, 7, zone);
    bind_number(statement, 8, offset);
    bind_number(statement, 9, day);
    bind_number(statement, 10, position);
    bind_text(statement, 11, notes);
    return run(peer, INSERT);
}

// Returns the single number of a statement's single row.
static int number_of(sqlite_peer *peer, int which, int64_t *number) {
    sqlite3_stmt *statement = peer->statements[which];
    int code = sqlite3_step(statement);
    if (code == SQLITE_ROW) {
        *number = sqlite3_column_type(statement, 0) == SQLITE_NULL ? SQLITE_PEER_NONE : sqlite3_column_int64(statement, 0);
        code = 0;
    }
    sqlite3_reset(statement);
    return code;
}

// Ends the transaction: commits if the work succeeded, otherwise rolls back.
static int end(sqlite_peer *peer, int code) {
    if (!code) return run(peer, COMMIT);
    run(peer, ROLLBACK);
    return code;
}

int sqlite_peer_create(
    sqlite_peer *peer, const uint8_t *id, const char *text, int64_t day, int64_t now, int64_t gap) {
    pthread_mutex_lock(&peer->lock);
    int code = run(peer, BEGIN);
    if (!code) {
        int64_t last = SQLITE_PEER_NONE;
        sqlite3_bind_int64(peer->statements[LAST], 1, day);
        code = number_of(peer, LAST, &last);
        if (!code) {
            int64_t position = last == SQLITE_PEER_NONE ? 0 : last + gap;
            code = sqlite_peer_insert(
                peer, id, text, 1, now, now, SQLITE_PEER_NONE, NULL, SQLITE_PEER_NONE, day, position, NULL);
        }
        code = end(peer, code);
    }
    pthread_mutex_unlock(&peer->lock);
    return code;
}

int sqlite_peer_set_state(
    sqlite_peer *peer, const uint8_t *id, int64_t state, int64_t now, const char *zone, int64_t offset) {
    int code = run(peer, BEGIN);
    if (code) return code;
    sqlite3_stmt *statement = peer->statements[STATE];
    bind_id(statement, 1, id);
    sqlite3_bind_int64(statement, 2, state);
    sqlite3_bind_int64(statement, 3, now);
    bind_number(statement, 4, zone ? now : SQLITE_PEER_NONE);
    bind_text(statement, 5, zone);
    bind_number(statement, 6, zone ? offset : SQLITE_PEER_NONE);
    return end(peer, run(peer, STATE));
}

int sqlite_peer_reorder(sqlite_peer *peer, const uint8_t *id, const uint8_t *other, int64_t now, int64_t gap) {
    int code = run(peer, BEGIN);
    if (code) return code;
    sqlite3_stmt *place = peer->statements[PLACE], *next = peer->statements[NEXT], *move = peer->statements[MOVE];
    bind_id(place, 1, other);
    code = sqlite3_step(place) == SQLITE_ROW ? 0 : SQLITE_NOTFOUND;
    int64_t day = sqlite3_column_int64(place, 0), before = sqlite3_column_int64(place, 1);
    int64_t after = SQLITE_PEER_NONE;
    sqlite3_reset(place);
    sqlite3_bind_int64(next, 1, day);
    sqlite3_bind_int64(next, 2, before);
    bind_id(next, 3, id);
    if (!code) code = number_of(peer, NEXT, &after);
    if (!code && after != SQLITE_PEER_NONE && after - before <= 1) code = SQLITE_FULL;
    if (!code) {
        bind_id(move, 1, id);
        sqlite3_bind_int64(move, 2, after == SQLITE_PEER_NONE ? before + gap : before + (after - before) / 2);
        sqlite3_bind_int64(move, 3, now);
        code = run(peer, MOVE);
    }
    return end(peer, code);
}

static char *text_of(sqlite3_stmt *statement, int at) {
    int length = sqlite3_column_bytes(statement, at);
    const unsigned char *text = sqlite3_column_text(statement, at);
    if (!text) return NULL;
    char *copy = malloc((size_t)length + 1);
    if (copy) memcpy(copy, text, (size_t)length + 1);
    return copy;
}

static int64_t integer_of(sqlite3_stmt *statement, int at) {
    return sqlite3_column_type(statement, at) == SQLITE_NULL ? SQLITE_PEER_NONE : sqlite3_column_int64(statement, at);
}

static void id_of(sqlite3_stmt *statement, int at, uint8_t *id) {
    const void *bytes = sqlite3_column_blob(statement, at);
    if (bytes) memcpy(id, bytes, 16);
    else memset(id, 0, 16);
}

static void decode(sqlite3_stmt *s, task *t) {
    id_of(s, 0, t->id);
    t->text = text_of(s, 1);
    t->state = integer_of(s, 2);
    t->created = integer_of(s, 3);
    t->updated = integer_of(s, 4);
    t->completed = integer_of(s, 5);
    t->zone = text_of(s, 6);
    t->offset = integer_of(s, 7);
    t->day = integer_of(s, 8);
    t->position = integer_of(s, 9);
    t->notes = text_of(s, 10);
    t->category = text_of(s, 11);
    t->epoch = integer_of(s, 12);
    t->due = integer_of(s, 13);
    t->due_all_day = integer_of(s, 14);
    t->reminder = integer_of(s, 15);
    id_of(s, 16, t->list);
    t->list_order = integer_of(s, 17);
    t->region = integer_of(s, 18);
    t->bucket = integer_of(s, 19);
    t->plan_order = integer_of(s, 20);
    t->auto_carry = integer_of(s, 21);
    t->sticky = integer_of(s, 22);
    t->expires = integer_of(s, 23);
    t->archived = integer_of(s, 24);
    t->recurring = integer_of(s, 25);
    t->pattern = text_of(s, 26);
    id_of(s, 27, t->parent);
    t->carried_from = integer_of(s, 28);
    t->carry_count = integer_of(s, 29);
    t->extra = text_of(s, 30);
}

static int view(sqlite_peer *peer, int which, int64_t day) {
    sqlite3_stmt *statement = peer->statements[which];
    int code;
    forget_tasks(peer);
    sqlite3_bind_int64(statement, 1, day);
    while ((code = sqlite3_step(statement)) == SQLITE_ROW) {
        if (peer->count == peer->capacity) {
            size_t capacity = peer->capacity ? peer->capacity * 2 : 64;
            task *tasks = realloc(peer->tasks, capacity * sizeof *tasks);
            if (!tasks) break;
            peer->tasks = tasks;
            peer->capacity = capacity;
        }
        decode(statement, &peer->tasks[peer->count++]);
    }
    sqlite3_reset(statement);
    return code == SQLITE_DONE ? (int)peer->count : -1;
}

int sqlite_peer_day(sqlite_peer *peer, int64_t day) { return view(peer, DAY, day); }
int sqlite_peer_from_day(sqlite_peer *peer, int64_t day) { return view(peer, FROM_DAY, day); }

void sqlite_peer_ids(const sqlite_peer *peer, uint8_t *ids) {
    for (size_t i = 0; i < peer->count; i++) memcpy(ids + 16 * i, peer->tasks[i].id, 16);
}

int64_t sqlite_peer_count(sqlite_peer *peer, int64_t from, int64_t to) {
    int64_t count = -1;
    sqlite3_bind_int64(peer->statements[COUNT], 1, from);
    sqlite3_bind_int64(peer->statements[COUNT], 2, to);
    return number_of(peer, COUNT, &count) ? -1 : count;
}

int sqlite_peer_count_days(
    sqlite_peer *peer, int64_t from, int64_t to, int64_t offset, int64_t *counts, int64_t capacity) {
    sqlite3_stmt *statement = peer->statements[COUNT_DAYS];
    int code;
    int64_t first = (from + offset) / 86400000000;
    sqlite3_bind_int64(statement, 1, from);
    sqlite3_bind_int64(statement, 2, to);
    sqlite3_bind_int64(statement, 3, offset);
    while ((code = sqlite3_step(statement)) == SQLITE_ROW) {
        int64_t day = sqlite3_column_int64(statement, 0) - first;
        if (day >= 0 && day < capacity) counts[day] = sqlite3_column_int64(statement, 1);
    }
    sqlite3_reset(statement);
    return code == SQLITE_DONE ? 0 : -1;
}

int sqlite_peer_export(sqlite_peer *peer, const char *path) {
    sqlite3_stmt *statement = peer->statements[EXPORT];
    FILE *file = fopen(path, "wb");
    if (!file) return SQLITE_CANTOPEN;
    sqlite3_bind_text(statement, 1, "2026-02-10T16:00:00Z", -1, SQLITE_STATIC);
    int code = sqlite3_step(statement);
    if (code == SQLITE_ROW) {
        const void *text = sqlite3_column_text(statement, 0);
        size_t length = (size_t)sqlite3_column_bytes(statement, 0);
        code = fwrite(text, 1, length, file) == length ? 0 : SQLITE_IOERR;
    }
    sqlite3_reset(statement);
    return fclose(file) ? SQLITE_IOERR : code;
}
