/// One of those that do the same work in turn.
struct Contestant {
    let name: String
    /// Takes part in the first so many counted rounds; slow ones would take all the time else.
    var rounds = Int.max
    /// How many operations one run is; the time is that of one of them.
    var operations = 1
    /// Not measured, before the run of a round.
    var before: (Int) async throws -> Void = { _ in }
    /// Measured.
    let run: (Int) async throws -> Void
    /// Not measured, after the run.
    var after: () async throws -> Void = {}
}
