/// What the texts of a block may still take, all columns together. A block that was written by this program needs no more:
/// of texts that come again one is kept, and texts are taken apart into lines only where these have four bytes and more
/// on average.
struct ReadBudget {
    var bytes: Int
    /// Lines beyond the first of each text.
    var lines: Int
}
