import Daybook

/// Measures opening a store to the first Today.
struct OpenWorks: Works {
    let setup: Setup

    func run(into report: inout Report) async throws {
        report.begin(
            "Opening, to the first Today",
            "Within a process that had it open before; and as a whole process, from its start to its end. "
                + "The files are in the system's cache. The JSON file has \(medium.taskCount.grouped) tasks only.")
        for dataset in [medium, large] {
            let isLarge = dataset.taskCount == large.taskCount
            let kinds = isLarge ? PeerKind.allCases.filter { $0 != .json } : PeerKind.allCases
            var contestants = kinds.map { kind in
                var peer: (any Peer)?
                return Contestant(
                    name: kind.name, rounds: kind == .json ? scale.long : .max,
                    run: { _ in
                        let opened = try kind.type.init(folder: dataset.path(kind.store), now: Moments.planned)
                        guard try opened.today() == Moments.plannedTasks else { throw PeerFailure("another Today") }
                        peer = opened
                    },
                    after: {
                        try peer?.close()
                        peer = nil
                    })
            }
            if isLarge {
                var floors: [LMDBFloor] = []
                contestants.append(
                    Contestant(
                        name: Contestants.lmdb,
                        run: { _ in
                            let opened = try LMDBFloor(folder: dataset.path(.daybook), readOnly: true)
                            guard try opened.viewToday() == Moments.plannedTasks else {
                                throw PeerFailure("another Today")
                            }
                            floors.append(opened)
                        }, after: { floors.removeAll() }))
            }
            let rounds = scale.writes / 2
            let times = try await Interleaved.run(contestants, rounds: rounds, warmUp: rounds / 10)
            report.add("open to the first Today, \(dataset.taskCount.grouped) tasks", times)
            let processes = try await processTimes(kinds, dataset)
            report.add("the same as a whole process", processes)
            guard isLarge else { continue }
            let what = "open to the first Today, \(dataset.taskCount.grouped) tasks"
            report.require(what, fasterThan: Contestants.grdb, times: 3, in: times)
        }
    }

    private func processTimes(_ kinds: [PeerKind], _ dataset: Dataset) async throws -> [Times] {
        var contestants = kinds.map { kind in
            Contestant(
                name: kind.name, rounds: kind == .json ? scale.long : .max,
                run: { _ in try ChildProcess.run(["child", "today", kind.rawValue, dataset.path(kind.store)]) })
        }
        contestants.append(
            Contestant(name: Contestants.nothing, run: { _ in try ChildProcess.run(["child", "nothing"]) }))
        return try await Interleaved.run(contestants, rounds: scale.long * 2, warmUp: 2)
    }
}
