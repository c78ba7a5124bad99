/// What makes the comparison a fair one, and where it is not one of like with like.
enum Fairness {
    static let text = """
        ## Fairness

        Before anything is timed, every peer has to show the same tasks in the same order as Daybook in Today and Upcoming,
        and the same counts for each day of a month; after the changes of state and of place it has to do so again. A run in
        which one does not ends without a result.

        ### What the peers do

        - **All** hold the same tasks with the same 31 fields, made by the history of `daybook generate` (seed 1). Files are
          in the system's cache: nothing is evicted. Every write is flushed to the disk before its call returns; the read
          of `synchronous` has to say FULL, or the run ends.
        - **GRDB**: a `DatabasePool`, as its guide advises for applications, in WAL. A pool sets `synchronous = NORMAL`
          by itself, which does not flush commits; FULL is set on its one writing connection after it was opened, and read
          back. Codable records, `cachedStatement` for each query, `insert` and `updateChanges`, which write by statements that
          GRDB caches and only the columns that changed. "Numbered columns" is its guide's "plain struct optimized for fetching
          performance". One writer calls the synchronous `write`; 64 writers await the asynchronous one. GRDB has no group
          commit: an application would have to collect its writers' work itself.
        - **SQLite in C**: one connection without SQLite's own mutex, behind one lock; each statement prepared once, as
          persistent; rows copied into a structure with every column. The same table, indexes and pragmas as GRDB's.
        - **The table of both**: `id` is a 16-byte blob and the primary key, in the order of time as Daybook's ids are. An index
          for each query: (day, state, position) of what is not archived; (state, createdAt); (reminderAt) and (completedAt)
          where there is one. The ends of a day are found by one step for each state. Page size and cache are SQLite's defaults,
          as GRDB's guide leaves them. The large table was filled in transactions of a thousand, with its indexes in
          place, in the order of the ids.
        - **LMDB in C** is the floor, not a store of tasks. Views: the same index entries and records in Daybook's own file, each
          byte read, nothing decoded. Counts: the same rows looked up, each in a transaction. Writes: the same keys and values that
          Daybook's operations wrote (recorded beforehand in a copy), each in one durable transaction, with no record read, encoded
          or compared before. Import: all keys and values of Daybook's ten transactions in one, sorted.
        - **JSON file**: all tasks in a dictionary; a change encodes all of them, writes a file beside, flushes it, renames it and
          flushes the folder. A million tasks would be some 400 MB for each change, so it is measured with 10,000.
        - **Taskwarrior**: the program of the distribution with settings of its own: `confirmation=off`, `hooks=off`,
          `news.version` set (else each report asks for the news to be read), no terminal. `gc` stays on, as it has to for
          its numbers of tasks to stay right. 10,000 tasks came by `task import` from Daybook's export; 1,000,000 were written in
          its own file format, without the log for undo and synchronization, to which `add` only appends.

        ### What Daybook does more in the same work

        - Every write also appends to the change log what was there before (undo, observation and incremental snapshots
          read it), moves the counts of completions, and seals each record with a checksum that each read checks. SQLite and LMDB
          check none of their own.
        - `setState` and `reorder` look at the record they change, check it, and keep the time of last change growing. `import`
          looks for each task whether a newer one, or its tombstone, is there; the peers insert.
        - Its statistics are right in any zone, and when the clock changes within a month. The peers' query for days takes one
          offset for the whole month, which would be wrong in two months of the year.

        ### What the peers do more, or better

        - SQLite's commit is one flush (of its log, which is copied into the database later); LMDB's is two. So a single
          durable write of Daybook's cannot be faster than two flushes, and SQLite's can.
        - SQLite can answer queries that nobody thought of when the table was made. Daybook has the views it has.
        - `task add` flushes nothing: after a power cut its task may be gone. `daybook add` waits for the disk.
        - Daybook's statistics are sums kept in each write; the peers count rows when asked. An application on SQLite can keep sums by
          triggers, and would then read as few rows.

        ### How the numbers are taken

        - Times are of the monotonic clock around each call, one call a round; in reads and writes the first tenth of the rounds is
          not counted. What a round needs besides (copies, opening, comparisons) is outside of the clock.
        - Creates by 64 writers are measured by the time for all of them together. The JSON file takes part in the first rounds only.
        - Private memory is looked at by the process itself, from `/proc/self/smaps`. The pages of Daybook's file that are mapped
          count as private as long as no other process has the store open; the kernel can take them back at any time, as they are in its
          cache anyway. SQLite reads its pages into memory of its own.
        - Snapshots, exports by command and what they cost others are a run of their own: [ARCHIVE.md](ARCHIVE.md).
        """
}
