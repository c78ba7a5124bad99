import Daybook

/// Measures the size of incremental snapshots, and how many changes they can cover.
struct Increments {
    let arena: ArchiveArena

    private var changes: Int { arena.middle.taskCount / 100 }

    func run(into report: inout Report) async throws {
        report.begin(
            "Snapshots of changes: bytes",
            "Of \(arena.middle.taskCount.grouped) tasks \(changes.grouped) are changed in place, from all over the store: "
                + "alternately the state, the day, the text, the notes. \"x\" is the part of a whole snapshot of the same moment."
        )
        for batch in [1, 50] { try await measure(batch: batch, into: &report) }
        try await reach(into: &report)
    }

    private func measure(batch: Int, into report: inout Report) async throws {
        let changed = try ChangedStore(of: arena.middle, at: arena.path("changed"))
        defer { changed.close() }
        let base = arena.path("base.snapshot")
        try changed.snapshot(to: base)
        let ids = try changed.peer.spreadIDs(count: changes, of: arena.middle.taskCount)
        try changed.change(ids, batch: batch)
        let part = try changed.snapshot(to: arena.path("part.snapshot"), since: base)
        let whole = try changed.snapshot(to: arena.path("whole.snapshot"))
        let share = Double(part) / Double(whole)
        let commits = batch == 1 ? "each committed separately" : "\(batch) a commit"
        report.add(
            "\(changes.grouped) changes, \(commits)",
            [
                Contestants.daybook: Report.Cell(
                    median: Double(part).bytes, ratio: "\(share.percent) of \(Double(whole).bytes)")
            ])
        report.add(
            "snapshot of 1 % of changes, \(commits), bytes", target: "under 3 % of a whole one",
            measured: share.percent, holds: share < 0.03)
        try restore(into: &report, expecting: whole)
    }

    /// Checks that restoring the chain gives the same store: its full snapshot has the same length.
    private func restore(into report: inout Report, expecting bytes: Int) throws {
        let restored = arena.path("restored")
        try Folder.remove(restored)
        try StoreFiles.restore(URL(filePath: arena.path("part.snapshot")), to: URL(filePath: restored))
        let peer = try DaybookPeer(folder: restored, now: Moments.planned)
        defer { peer.close() }
        let found = try peer.daybook.files.snapshot(
            to: URL(filePath: arena.path("again.snapshot")), options: SnapshotOptions(overwrite: true)
        ).bytes
        guard found == bytes else { throw PeerFailure("a chain restored another store: \(found), not \(bytes) bytes") }
    }

    /// Determines how many changes the change log keeps: beyond that, an incremental snapshot requires a full one.
    private func reach(into report: inout Report) async throws {
        let changed = try ChangedStore(of: arena.middle, at: arena.path("changed"))
        defer { changed.close() }
        let base = arena.path("base.snapshot")
        try changed.snapshot(to: base)
        let step = min(1000, changes)
        let ids = try changed.peer.spreadIDs(
            count: min(50 * step, arena.middle.taskCount), of: arena.middle.taskCount)
        var reached = 0
        var isAtEnd = false
        while !isAtEnd, reached < ids.count {
            try changed.change(Array(ids[reached..<min(reached + step, ids.count)]), batch: 1)
            isAtEnd = (try? changed.snapshot(to: arena.path("part.snapshot"), since: base)) == nil
            if !isAtEnd { reached += step }
        }
        report.note(
            "The change log keeps 4 MiB. Of changes like these, each committed separately, a snapshot could go back over "
                + "\(isAtEnd ? "" : "at least ")\(reached.grouped), counted in steps of \(step.grouped); further back `--since` "
                + "requires a full one.")
    }
}

extension Double {
    /// Returns a fraction in percent.
    fileprivate var percent: String { "\((self * 100).short) %" }
}
