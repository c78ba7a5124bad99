/// The conditions of the comparison, and its limits.
enum Fairness {
    static let text = """
        ## Fairness

        Before anything is timed, every peer must show the same tasks in the same order as Daybook in Today and Upcoming, and the
        same counts for each day of a month; after the changes of state and of position it must do so again. Otherwise the run ends
        without a result.

        ### What the peers do

        - **All** hold the same tasks with the same 31 fields, made by the history of `daybook generate` (seed 1). Files are
          in the system's cache: nothing is evicted. Every write is flushed to the disk before its call returns; the value
          of `synchronous` must be FULL, or the run ends.
        - **GRDB**: a `DatabasePool`, as its guide advises for applications, in WAL. A pool sets `synchronous = NORMAL`
          by itself, which does not flush commits; FULL is set on its one writing connection after it was opened, and
          verified. Codable records, `cachedStatement` for each query, `insert` and `updateChanges`, which write by statements that
          GRDB caches and only the columns that changed. "Numbered columns" is its guide's "plain struct optimized for fetching
          performance". One writer calls the synchronous `write`; 64 writers await the asynchronous one. GRDB has no group
          commit: an application would have to collect its writers' work itself.
        - **SQLite in C**: one connection without SQLite's own mutex, behind one lock; each statement prepared once, as
          persistent; rows copied into a structure with every column. The same table, indexes and pragmas as GRDB's.
        - **The table of both**: `id` is a 16-byte blob and the primary key, in the order of time like Daybook's ids. An index
          for each query: (day, state, position) of what is not archived; (state, createdAt); (reminderAt) and (completedAt)
          where present. The ends of a day are found by one step for each state. Page size and cache are SQLite's defaults,
          as GRDB's guide leaves them. The large table was filled in transactions of a thousand, with its indexes in
          place, in the order of the ids.
        - **With FTS5**: the same with an index of the words of texts and notes, which the tasks of Daybook have, kept
          by the trigger of FTS5's documentation. Creates are like with like there. It does not take part in changes of
          state and of the place, which change no words.
        - **Daybook**: the store as every program opens it. Its clock stands still, so that it commits as a process
          does that writes often, through the commit log, though some time passes from one of its writes to the next.
          **Daybook, direct commits** is the same store as it commits a single write of a program: with two flushes.
        - **LMDB in C** is the floor, not a store of tasks. Views: the same index entries and records in Daybook's own file, each
          byte read, nothing decoded. Counts: the same rows looked up, each in a transaction. Writes: the same keys and values that
          Daybook's operations wrote (recorded beforehand in a copy), each in one durable transaction, with no record read, encoded
          or compared before. Import: all keys and values of Daybook's ten transactions in one, sorted.
        - **JSON file**: all tasks in a dictionary; a change encodes all of them, writes a temporary file, flushes it, renames it and
          flushes the folder. A million tasks would be about 400 MB for each change, so it is measured with 10,000.
        - **Taskwarrior**: the program of the distribution with these settings: `confirmation=off`, `hooks=off`,
          `news.version` set (otherwise each report asks to read the news), no terminal. `gc` stays on, which its
          numbers of tasks require. 10,000 tasks came by `task import` from Daybook's export; 1,000,000 were written in
          its own file format, without the log for undo and synchronization, to which `add` only appends.
        - **jrnl**: the newest version of PyPI in an environment that holds nothing else, with a plain text journal, no colors, no
          editor and no encryption, and its default format of times; with a shorter one (`%Y-%m-%d %H:%M`) it takes less than half as
          long. Daybook imported jrnl's file; before and after the measurement both must end with the same entries. Most of
          its time is the start of Python, and parsing the whole journal in each command.

        ### What Daybook does in addition

        - Every write also appends the previous image to the change log (undo, observation and incremental snapshots
          read it), updates the counts of completions, and adds a checksum to each record that each read verifies. SQLite and LMDB
          have no checksums.
        - `setState` and `reorder` read and verify the record that they change, and keep the time of its last change increasing.
          `import` into an empty store sorts and then checks everything that it wrote; the peers insert.
        - Its statistics are correct in any zone, and across changes of the offset within a month. The peers' query for days takes one
          offset for the whole month, which would be wrong in two months of the year.

        ### What the peers do in addition, or better

        - SQLite's commit is one flush (of its log, which is copied into the database later), and so is Daybook's while
          it writes often. LMDB's is two: a single write of Daybook, which commits directly, cannot be faster than two
          flushes, and one of SQLite can.
        - SQLite can answer ad hoc queries. Daybook has declared indexes only.
        - `task add` flushes nothing: after a power failure its task may be lost. `daybook add` waits for the disk.
        - `jrnl` flushes nothing either; its journal is a text file, which every editor can read and change.
        - Daybook's statistics are sums maintained in each write; the peers count rows when queried. An application on SQLite can
          maintain sums with triggers, and would then read as few rows.

        ### How the numbers are measured

        - Times are of the monotonic clock around each call, one call a round; in reads and writes the first tenth of the rounds is
          not counted. What else a round needs (copies, opening, comparisons) is not timed.
        - Where flushes are compared, everything in the system's cache is written to the disk before each run
          (`sync`), which is not timed, and 4 KiB are written and flushed until that takes its usual time again, at
          most 50 times. So nobody waits for what another one has written. It also takes from the logs (Daybook's,
          SQLite's WAL) what they would write in a later checkpoint: the row of creates one after another, which waits
          for nothing in between, has those in its times.
        - Creates by 64 writers are measured by the time for all of them together. The JSON file takes part in the first rounds only.
        - Private memory is sampled by the process itself, from `/proc/self/smaps`. The pages of Daybook's file that are mapped
          count as private as long as no other process has the store open; the kernel can reclaim them at any time, since they are in its
          cache anyway. SQLite reads its pages into its own memory.
        - Snapshots, exports by command and their effect on others are a separate run: [ARCHIVE.md](ARCHIVE.md).
        """
}
