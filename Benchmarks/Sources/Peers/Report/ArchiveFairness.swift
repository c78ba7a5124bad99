/// The conditions of the comparison of files, and its limits.
enum ArchiveFairness {
    static let text = """
        ## Fairness

        - **All** files are of the same tasks, made by the history of `daybook generate` (seed 1, until 2026-02-10T16:00:00Z).
          SQLite has them in the table and with the indexes of [PEERS.md](PEERS.md); `mdb_copy -c` copies Daybook's own
          store. Files are in the system's cache: nothing is evicted.
        - **What Daybook omits**: indexes and roll-ups, which a restore derives from the records, and the change log.
          `VACUUM INTO` has the indexes in its file, `mdb_copy -c` the indexes and the change log. That is the main reason why it is
          smaller before compression, and why its restore has more to do.
        - **What Daybook does in addition**: a create reads its file back, checks every record against the digests, and flushes
          file and folder before the file gets its name. `zstd` and `sqlite3` do not flush.
        - **Threads**: Daybook encodes a block on one thread while the next is collected on another. `zstd` compresses on one and reads
          and writes on others, as it does by default.
        - **Times** are of whole commands, interleaved, in a new random order each round, the first round not counted.
          What is measured once says so.
        - **Floors**: no lossless file can have fewer bits of an id than are random. The texts compressed by zstd are no true
          floor (another compressor would do better), but the result of this one for the part that people wrote.
        - **Memory** is that of the command alone, sampled from outside, so that a peak of less than two milliseconds can
          be missed.
        - **Creates beside a snapshot**: with as many busy threads as cores the kernel delays a writer, whatever keeps the cores
          busy. `mdb_copy -c` and zstd show that effect; their ratio is reported and not judged.
        """
}
