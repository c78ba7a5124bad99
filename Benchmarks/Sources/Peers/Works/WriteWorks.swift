import CRawLMDB
import Daybook
import Glibc

/// Compares durable writes by one writer.
struct WriteWorks: Works {
    let setup: Setup

    private var rounds: Int { scale.writes }
    private var warmUp: Int { scale.writes / 10 }

    func run(into report: inout Report) async throws {
        report.begin(
            "Durable writes, one writer",
            "Each is on the disk when the call returns. On the thread of the caller. A create is to be compared with the "
                + "peers with FTS5, which have an index of words as Daybook has; a change of state or of the place changes "
                + "no words, and is to be compared with the peers without one.")
        let day = try Moments.createDay()
        let plan = try makePlan()
        let creates = try await one(
            "create", into: &report,
            { try $0.create(Sentences.create($1), on: day) },
            awaited: { try await $0.createAwaited(Sentences.create($1), on: day) })
        let states = try await one(
            "change of state", into: &report, { try $0.setState(plan.states[$1].id, to: plan.states[$1].state) })
        let moves = try await one(
            "another place in a list of \(Moments.listTasks)", into: &report,
            { try $0.reorder(plan.moves[$1].id, after: plan.moves[$1].after) })
        let row = try await inRow(into: &report, day)
        for (peer, limit) in [(Contestants.wordsInC, 1.0), (Contestants.words, 1.25)] {
            report.require("durable create, \(Contestants.alike)", fasterThan: peer, times: limit, in: creates)
            report.require(
                "\(Self.rowLength) durable creates in a row, \(Contestants.alike)", fasterThan: peer, times: limit,
                in: row)
        }
        for (peer, limit) in [(Contestants.sqlite, 1.0), (Contestants.grdb, 1.25)] {
            report.require("durable create, no index of words in the peer", fasterThan: peer, times: limit, in: creates)
        }
        for (what, times) in [("durable change of state", states), ("durable reorder", moves)] {
            report.require(what, fasterThan: Contestants.sqlite, times: 1.1, in: times)
            report.require(what, fasterThan: Contestants.grdb, times: 1.25, in: times)
            report.require(
                "\(what), direct commits", atMost: 1.2, timesOf: Contestants.lmdb, in: times, of: Contestants.direct)
        }
        for (what, times) in [("create", creates), ("change of state", states), ("reorder", moves)] {
            for name in [Contestants.direct, Contestants.disk] {
                report.compare("durable \(what), against \(name)", fasterThan: name, because: "reported", in: times)
            }
        }
        try await atLargeSize(into: &report)
        report.reportPredecessors(of: "durable create", in: creates)
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
        try arena.addDirect(from: medium, at: "\(folder)/direct")
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
        let rest = try DiskRest(besides: folder)
        let times = try await Interleaved.run(contestants, rounds: rounds, warmUp: warmUp, rest: rest)
        try arena.checkContent(after: name)
        report.add("\(name), \(medium.taskCount.grouped) tasks (\(recording.text))", times)
        report.note("\(name): \(rest.text)")
        try arena.close()
        return times
    }

    /// So many creates follow one another, with all that they cause: checkpoints of a log, which a single create
    /// seldom has to wait for.
    private static let rowLength = 300

    /// Measures creates in a row: the mean of each row, and of the rows the median.
    private func inRow(into report: inout Report, _ day: Day) async throws -> [Times] {
        let copy = try medium.copied(to: "\(folder)/written", [.daybook, .grdb, .sqlite])
        var arena = try Arena(copy, now: Moments.planned, json: false)
        try arena.addDirect(from: medium, at: "\(folder)/direct")
        try arena.addIndexing(from: medium, at: "\(folder)/indexing")
        let length = Self.rowLength
        let contestants = arena.contestants(operations: length) { peer, round in
            for number in 0..<length { try peer.create(Sentences.create(round * length + number), on: day) }
        }
        let times = try await Interleaved.run(
            contestants, rounds: scale.long, warmUp: 1, rest: DiskRest(besides: folder))
        try arena.checkContent(after: "create")
        report.add("create, \(length) in a row, the mean, \(medium.taskCount.grouped) tasks", times)
        try arena.close()
        return times
    }

    /// Measures the same creates and changes in the largest stores.
    private func atLargeSize(into report: inout Report) async throws {
        var arena = try Arena(large, now: Moments.planned, json: false)
        try arena.addDirect(from: large, at: "\(folder)/direct")
        let plan = try WritePlan(arena.daybook, count: rounds + warmUp)
        let day = try Moments.createDay()
        let size = "\(large.taskCount.grouped) tasks"
        let rest = try DiskRest(besides: folder)
        let creates = try await Interleaved.run(
            arena.contestants { try $0.create(Sentences.create($1), on: day) }, rounds: rounds, warmUp: warmUp,
            rest: rest)
        report.add("create, \(size)", creates)
        let states = try await Interleaved.run(
            arena.contestants { try $0.setState(plan.states[$1].id, to: plan.states[$1].state) }, rounds: rounds,
            warmUp: warmUp, rest: rest)
        report.add("change of state, \(size)", states)
        report.note("\(size): \(rest.text)")
        for (what, times) in [("create", creates), ("change of state", states)] {
            report.require("durable \(what), \(size)", fasterThan: Contestants.sqlite, times: 0.9, in: times)
        }
        try arena.checkContent(after: "create")
        try arena.close()
    }
}
