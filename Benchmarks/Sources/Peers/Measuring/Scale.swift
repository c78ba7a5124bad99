/// The sizes of the stores and the numbers of runs.
struct Scale {
    let small: Int
    let medium: Int
    let large: Int
    /// The rounds of reads, of durable writes, and of operations that take long.
    let reads: Int
    let writes: Int
    let long: Int

    static let whole = Scale(small: 1000, medium: 10_000, large: 1_000_000, reads: 600, writes: 200, long: 15)
    static let quick = Scale(small: 1000, medium: 2000, large: 20_000, reads: 60, writes: 30, long: 5)
}

/// The sizes of the stores in a comparison of files, and the numbers of runs.
struct ArchiveScale {
    let small: Int
    let middle: Int
    let large: Int
    /// The rounds of commands that take milliseconds, and of those that take seconds.
    let short: Int
    let long: Int
    /// The number of creates in each round.
    let creates: Int

    static let whole = ArchiveScale(
        small: 1000, middle: 200_000, large: 1_000_000, short: 40, long: 7, creates: 1000)
    static let quick = ArchiveScale(small: 1000, middle: 10_000, large: 20_000, short: 10, long: 3, creates: 100)
}
