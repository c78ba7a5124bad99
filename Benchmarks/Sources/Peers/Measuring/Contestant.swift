/// One of several implementations of the same work.
struct Contestant {
    let name: String
    /// The number of counted rounds in which a slow one takes part.
    var rounds = Int.max
    /// The number of operations in one run; times are of one operation.
    var operations = 1
    /// Prepares a round. Not measured.
    var before: (Int) async throws -> Void = { _ in }
    /// The measured work.
    let run: (Int) async throws -> Void
    /// Cleans up after a run. Not measured.
    var after: () async throws -> Void = {}
}
