import CRawLMDB
import Daybook
import Glibc

/// Compares durable writes by one writer.
struct WriteWorks {
    let scale: Scale
    let folder: String
    let medium: Dataset
    let large: Dataset

    private var rounds: Int { scale.writes }
    private var warmUp: Int { scale.writes / 10 }

    func run(into report: inout Report) async throws {
        report.begin(
            "Durable writes, one writer", "Each is on the disk when the call returns. On the thread of the caller.")
        let day = try Moments.createDay()
        let plan = try makePlan()
        let creates = try await one(
            "create", into: &report,
            { try $0.create(Sentences.create($1), on: day) },
            awaited: { try await $0.createAwaited(Sentences.create($1), on: day) })
        report.compareLog("create", 1.2, in: creates)
        report.compare(
            "durable create, an index of words in both", fasterThan: Contestants.wordsInC, because: "reported",
            in: creates)
        let states = try await one(
            "change of state", into: &report, { try $0.setState(plan.states[$1].id, to: plan.states[$1].state) })
        let moves = try await one(
            "another place in a list of \(Moments.listTasks)", into: &report,
            { try $0.reorder(plan.moves[$1].id, after: plan.moves[$1].after) })
        report.compareLog("change of state", 1.1, in: states)
        report.compareLog("reorder", 1.1, in: moves)
        report.require("durable change of state", atMost: 1.2, timesOf: Contestants.lmdb, in: states)
        report.require("durable reorder", atMost: 1.2, timesOf: Contestants.lmdb, in: moves)
        try await atLargeSize(into: &report)
    }

    private func makePlan() throws -> WritePlan {
        let peer = try DaybookPeer(folder: medium.path(.daybook), now: Moments.planned)
        defer { peer.close() }
        return try WritePlan(peer, count: rounds + warmUp)
    }

    /// Measures one kind of write in new copies of the stores.
    @discardableResult
    private func one(
        _ name: String, into report: inout Report, _ operation: @escaping (any Peer, Int) throws -> Void,
        awaited: ((DaybookPeer, Int) async throws -> Void)? = nil
    ) async throws -> [Times] {
        let recording = try Recording(
            of: medium.path(.daybook), in: folder, count: rounds + warmUp
        ) { try operation($0, $1) }
        let copy = try medium.copied(to: "\(folder)/written", [.daybook, .grdb, .sqlite, .json])
        try Folder.copy(medium.path(.daybook), to: "\(folder)/floor")
        try Folder.copy(medium.path(.daybook), to: "\(folder)/awaited")
        var arena = try Arena(copy, now: Moments.planned, json: true)
        try arena.addLogged(from: medium, at: "\(folder)/logged")
        if awaited != nil { try arena.addIndexing(from: medium, at: "\(folder)/indexing") }
        let floor = try LMDBFloor(folder: "\(folder)/floor", readOnly: false)
        let waiting = try DaybookPeer(folder: "\(folder)/awaited", now: Moments.planned)
        let flushed = open("\(folder)/flushed", O_RDWR | O_CREAT, 0o600)
        defer {
            close(flushed)
            waiting.close()
        }
        var contestants = arena.contestants(jsonRounds: scale.long / 3) { try operation($0, $1) }
        contestants.append(Contestant(name: Contestants.lmdb, run: { try floor.apply(recording.changes[$0]) }))
        contestants.append(
            Contestant(
                name: Contestants.disk,
                run: { _ in
                    guard raw_flush(flushed) == 0 else { throw PeerFailure("the disk refused a flush") }
                }))
        if let awaited {
            contestants.append(Contestant(name: Contestants.awaited, run: { try await awaited(waiting, $0) }))
        }
        let times = try await Interleaved.run(contestants, rounds: rounds, warmUp: warmUp)
        try arena.checkContent(after: name)
        report.add("\(name), \(medium.taskCount.grouped) tasks (\(recording.text))", times)
        try arena.close()
        return times
    }

    /// Measures the same creates and changes in the largest stores.
    private func atLargeSize(into report: inout Report) async throws {
        var arena = try Arena(large, now: Moments.planned, json: false)
        try arena.addLogged(from: large, at: "\(folder)/logged")
        let plan = try WritePlan(arena.daybook, count: rounds + warmUp)
        let day = try Moments.createDay()
        let size = "\(large.taskCount.grouped) tasks"
        report.add(
            "create, \(size)",
            try await Interleaved.run(
                arena.contestants { try $0.create(Sentences.create($1), on: day) }, rounds: rounds, warmUp: warmUp))
        report.add(
            "change of state, \(size)",
            try await Interleaved.run(
                arena.contestants { try $0.setState(plan.states[$1].id, to: plan.states[$1].state) }, rounds: rounds,
                warmUp: warmUp))
        try arena.checkContent(after: "create")
        try arena.close()
    }
}
