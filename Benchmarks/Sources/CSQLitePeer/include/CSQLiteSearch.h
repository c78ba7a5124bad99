// Texts in a table of SQLite with an FTS5 index, through the C API: every statement prepared once and kept.
#ifndef SQLITE_SEARCH_H
#define SQLITE_SEARCH_H

#include <stdint.h>

typedef struct sqlite_search sqlite_search;

// Creates a database with an empty table. NULL on failure, also when the library has no FTS5.
sqlite_search *sqlite_search_open(const char *path);
void sqlite_search_close(sqlite_search *search);
const char *sqlite_search_message(sqlite_search *search);

// Inserts a row without indexing it; begin and commit group many. 0 for success.
int sqlite_search_begin(sqlite_search *search);
int sqlite_search_insert(sqlite_search *search, const uint8_t *id, const char *text, int64_t created);
int sqlite_search_commit(sqlite_search *search);

// Builds the index over all rows and merges it into one segment. Returns the bytes that it adds to the file, -1 on failure.
int64_t sqlite_search_index(sqlite_search *search);

// Reads up to `limit` rows that match, the last inserted first, with every column into a structure. Returns their number,
// -1 on failure.
int sqlite_search_find(sqlite_search *search, const char *match, int64_t limit);
// The ids of the last rows read, 16 bytes each.
void sqlite_search_ids(const sqlite_search *search, uint8_t *ids);

#endif
