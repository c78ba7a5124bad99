import Daybook

/// Compares durable creates by 64 concurrent writers, and by 1,024.
struct WritersWorks: Works {
    let setup: Setup

    func run(into report: inout Report) async throws {
        report.begin(
            "Durable creates by many writers at once",
            "Creates a second. GRDB by tasks that await `write`, SQLite by tasks that share one connection."
        )
        let few = try await creates(writers: 64, each: 16, into: &report)
        let many = try await creates(writers: 1024, each: 4, into: &report)
        report.require(
            "creates by 64 writers at once, \(Contestants.alike)", fasterThan: Contestants.words, times: 5, in: few)
        report.compare(
            "creates by 64 writers at once, GRDB without an index of words", fasterThan: Contestants.grdb,
            because: "reported", in: few)
        guard let few = few.first?.median, let many = many.first?.median else { return }
        report.add(
            "creates by 1,024 writers at once", target: "no slower than by 64",
            measured: "\((many / few).short)x of the time", holds: many <= few)
    }

    private func creates(writers: Int, each: Int, into report: inout Report) async throws -> [Times] {
        let copy = try medium.copied(to: "\(folder)/written", [.daybook, .grdb, .sqlite, .json])
        var arena = try Arena(copy, now: Moments.planned, json: writers <= 64)
        try arena.addDirect(from: medium, at: "\(folder)/direct")
        try arena.addIndexing(from: medium, at: "\(folder)/indexing")
        let day = try Moments.createDay()
        var contestants = arena.contestants(operations: writers * each) { peer, _ in
            try await peer.create(writers: writers, each: each, on: day)
        }
        contestants = contestants.filter { $0.name != Contestants.json }
        if let json = arena.json {
            contestants.append(
                Contestant(
                    name: Contestants.json, rounds: 2, operations: writers,
                    run: { _ in try await json.create(writers: writers, each: 1, on: day) }))
        }
        let times = try await Interleaved.run(
            contestants, rounds: scale.long / 3, warmUp: 1, rest: DiskRest(besides: folder))
        try arena.checkContent(after: "create")
        report.add("\(writers.grouped) writers, \(medium.taskCount.grouped) tasks", times, perSecond: true)
        try arena.close()
        try Folder.remove(copy.folder)
        return times
    }
}
