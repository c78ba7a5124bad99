/// Compares snapshots and exports with equivalents of the peers: `Scripts/peers --only archive`.
struct ArchiveWorks {
    let arena: ArchiveArena

    func run(into report: inout Report) async throws {
        try await arena.prepare()
        try SnapshotSizes(arena: arena).run(into: &report)
        try await SnapshotTimes(arena: arena).run(into: &report)
        try await Increments(arena: arena).run(into: &report)
        try await JSONExports(arena: arena).run(into: &report)
        try ArchiveMemory(arena: arena).run(into: &report)
        try await CreateLatencies(arena: arena).run(into: &report)
    }
}
