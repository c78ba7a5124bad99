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
