#include "CSQLiteSearch.h"

#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct {
    uint8_t id[16];
    char *text;
    int64_t state, created, updated, position;
} row;

enum { LIMIT = 1024 };

struct sqlite_search {
    sqlite3 *db;
    sqlite3_stmt *insert, *find;
    row rows[LIMIT];
    int count;
};

// The index refers to the rows of the table, so that no text is stored twice. `unicode61` folds case and diacritics.
static const char *const schema =
    "PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL;"
    "CREATE TABLE task (id BLOB NOT NULL, text TEXT NOT NULL, state INTEGER NOT NULL, createdAt INTEGER NOT NULL, "
    "updatedAt INTEGER NOT NULL, position INTEGER NOT NULL);"
    "CREATE VIRTUAL TABLE words USING fts5(text, content='task', content_rowid='rowid', "
    "tokenize=\"unicode61 remove_diacritics 2\")";

sqlite_search *sqlite_search_open(const char *path) {
    sqlite_search *search = calloc(1, sizeof *search);
    if (!search) return NULL;
    // Descending row ids are FTS5's own order: nothing is sorted.
    const char *find = "SELECT task.id, task.text, task.state, task.createdAt, task.updatedAt, task.position FROM words "
                       "JOIN task ON task.rowid = words.rowid WHERE words MATCH ?1 ORDER BY words.rowid DESC LIMIT ?2";
    int flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_NOMUTEX;
    if (sqlite3_open_v2(path, &search->db, flags, NULL) || sqlite3_exec(search->db, schema, NULL, NULL, NULL)
        || sqlite3_prepare_v3(search->db, "INSERT INTO task VALUES (?1, ?2, 0, ?3, ?3, 0)", -1, SQLITE_PREPARE_PERSISTENT,
                              &search->insert, NULL)
        || sqlite3_prepare_v3(search->db, find, -1, SQLITE_PREPARE_PERSISTENT, &search->find, NULL)) {
        fprintf(stderr, "SQLite: %s\n", sqlite3_errmsg(search->db));
        sqlite_search_close(search);
        return NULL;
    }
    return search;
}

static void forget_rows(sqlite_search *search) {
    for (int i = 0; i < search->count; i++) free(search->rows[i].text);
    search->count = 0;
}

void sqlite_search_close(sqlite_search *search) {
    forget_rows(search);
    sqlite3_finalize(search->insert);
    sqlite3_finalize(search->find);
    sqlite3_close(search->db);
    free(search);
}

const char *sqlite_search_message(sqlite_search *search) { return sqlite3_errmsg(search->db); }

int sqlite_search_begin(sqlite_search *search) { return sqlite3_exec(search->db, "BEGIN", NULL, NULL, NULL); }
int sqlite_search_commit(sqlite_search *search) { return sqlite3_exec(search->db, "COMMIT", NULL, NULL, NULL); }

int sqlite_search_insert(sqlite_search *search, const uint8_t *id, const char *text, int64_t created) {
    sqlite3_bind_blob(search->insert, 1, id, 16, SQLITE_STATIC);
    sqlite3_bind_text(search->insert, 2, text, -1, SQLITE_STATIC);
    sqlite3_bind_int64(search->insert, 3, created);
    int code = sqlite3_step(search->insert);
    sqlite3_reset(search->insert);
    return code == SQLITE_DONE ? 0 : code;
}

static int64_t number(sqlite_search *search, const char *sql) {
    sqlite3_stmt *statement;
    if (sqlite3_prepare_v2(search->db, sql, -1, &statement, NULL)) return -1;
    int64_t value = sqlite3_step(statement) == SQLITE_ROW ? sqlite3_column_int64(statement, 0) : -1;
    sqlite3_finalize(statement);
    return value;
}

int64_t sqlite_search_index(sqlite_search *search) {
    // What merging frees stays in the file; it does not count.
    const char *used = "SELECT (page_count - freelist_count) * page_size FROM pragma_page_count, pragma_freelist_count, "
                       "pragma_page_size";
    int64_t before = number(search, used);
    const char *build = "INSERT INTO words(words) VALUES ('rebuild'); INSERT INTO words(words) VALUES ('optimize'); "
                        "PRAGMA wal_checkpoint(TRUNCATE)";
    if (before < 0 || sqlite3_exec(search->db, build, NULL, NULL, NULL)) return -1;
    int64_t after = number(search, used);
    return after < 0 ? -1 : after - before;
}

int sqlite_search_find(sqlite_search *search, const char *match, int64_t limit) {
    forget_rows(search);
    sqlite3_stmt *statement = search->find;
    sqlite3_bind_text(statement, 1, match, -1, SQLITE_STATIC);
    sqlite3_bind_int64(statement, 2, limit < LIMIT ? limit : LIMIT);
    int code;
    while ((code = sqlite3_step(statement)) == SQLITE_ROW) {
        row *r = &search->rows[search->count++];
        memcpy(r->id, sqlite3_column_blob(statement, 0), 16);
        r->text = strdup((const char *)sqlite3_column_text(statement, 1));
        r->state = sqlite3_column_int64(statement, 2);
        r->created = sqlite3_column_int64(statement, 3);
        r->updated = sqlite3_column_int64(statement, 4);
        r->position = sqlite3_column_int64(statement, 5);
    }
    sqlite3_reset(statement);
    return code == SQLITE_DONE ? search->count : -1;
}

void sqlite_search_ids(const sqlite_search *search, uint8_t *ids) {
    for (int i = 0; i < search->count; i++) memcpy(ids + 16 * i, search->rows[i].id, 16);
}
