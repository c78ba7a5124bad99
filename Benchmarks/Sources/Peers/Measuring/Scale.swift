/// How large the stores are and how often things run.
struct Scale {
    let small: Int
    let medium: Int
    let large: Int
    /// Rounds of reads of microseconds, of durable writes, of what takes long.
    let reads: Int
    let writes: Int
    let long: Int

    static let whole = Scale(small: 1000, medium: 10_000, large: 1_000_000, reads: 600, writes: 200, long: 15)
    static let quick = Scale(small: 1000, medium: 2000, large: 20_000, reads: 60, writes: 30, long: 5)
}
