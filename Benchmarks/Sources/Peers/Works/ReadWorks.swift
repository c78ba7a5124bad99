import Daybook

/// Compares views and counts.
struct ReadWorks: Works {
    let setup: Setup

    func run(into report: inout Report) async throws {
        report.begin(
            "Views, every task decoded",
            "Today has \(Moments.plannedTasks) tasks and Upcoming \(Moments.listTasks), whatever the size of the store."
        )
        for dataset in [small, medium, large] {
            let isLarge = dataset.taskCount == large.taskCount
            let arena = try Arena(dataset, now: Moments.planned, json: !isLarge)
            try arena.checkAgreement()
            try await views(arena, dataset.taskCount, isLarge: isLarge, into: &report)
            try arena.close()
        }
        report.begin(
            "Statistics",
            "In January 2026, the last month that the histories cover whole, and around 2026-02-10, where they end.")
        for dataset in [medium, large] {
            let isLarge = dataset.taskCount == large.taskCount
            let arena = try Arena(dataset, now: Moments.historyEnd, json: !isLarge)
            try arena.checkAgreement()
            try await statistics(arena, dataset.taskCount, isLarge: isLarge, into: &report)
            try arena.close()
        }
    }

    private func views(_ arena: Arena, _ count: Int, isLarge: Bool, into report: inout Report) async throws {
        let floor = try LMDBFloor(folder: arena.daybookFolder, readOnly: true)
        let expect = { (shown: Int, expected: Int) in
            guard shown == expected else { throw PeerFailure("a view shows \(shown) tasks instead of \(expected)") }
        }
        let fifty = Moments.plannedTasks
        var contestants = arena.contestants(jsonRounds: scale.long) { peer, _ in try expect(peer.today(), fifty) }
        contestants.append(
            Contestant(name: Contestants.numbered, run: { _ in try expect(arena.grdb.todayNumbered(), fifty) }))
        contestants.append(Contestant(name: Contestants.lmdb, run: { _ in try expect(floor.viewToday(), fifty) }))
        let today = try await Interleaved.run(contestants, rounds: scale.reads, warmUp: scale.reads / 10)
        report.add("Today, \(fifty) of \(count.grouped)", today)
        if isLarge {
            report.require(
                "Today, \(fifty) of \(count.grouped), decoded", fasterThan: Contestants.grdb, times: 5, in: today)
            report.compare(
                "the same against GRDB with numbered columns", fasterThan: Contestants.numbered,
                because: floorReason(today), in: today)
            report.require("Today, \(fifty) of \(count.grouped)", atMost: 3, timesOf: Contestants.lmdb, in: today)
        }

        let list = Moments.listTasks
        contestants = arena.contestants(jsonRounds: scale.long) { peer, _ in try expect(peer.upcoming(), list) }
        contestants.append(
            Contestant(name: Contestants.numbered, run: { _ in try expect(arena.grdb.upcomingNumbered(), list) }))
        contestants.append(Contestant(name: Contestants.lmdb, run: { _ in try expect(floor.viewUpcoming(), list) }))
        let rounds = scale.reads / 4
        report.add(
            "Upcoming, \(list) of \(count.grouped)",
            try await Interleaved.run(contestants, rounds: rounds, warmUp: rounds / 10))
    }

    private func statistics(_ arena: Arena, _ count: Int, isLarge: Bool, into report: inout Report) async throws {
        let floor = try LMDBFloor(folder: arena.daybookFolder, readOnly: true)
        let month = try Arena.month()
        let size = "\(count.grouped) tasks"
        let rounds = scale.reads / 4
        let warmUp = rounds / 10
        let four = try await Interleaved.run(
            arena.contestants(jsonRounds: scale.long) { peer, _ in _ = try peer.counts() }, rounds: rounds,
            warmUp: warmUp)
        report.add("completed today, this week, this month, last month: \(size)", four)

        // Daybook reads the rows of counts of every day of the month and of the month before.
        let days = (month.previous?.days.lowerBound ?? month.days.lowerBound)..<month.days.upperBound
        var contestants = arena.contestants(jsonRounds: scale.long) { peer, _ in _ = try peer.counts(of: month) }
        contestants.append(Contestant(name: Contestants.lmdb, run: { _ in try floor.readCounts(days) }))
        let daily = try await Interleaved.run(contestants, rounds: rounds, warmUp: warmUp)
        report.add("a month day by day, and the month before: \(size)", daily)

        // The smallest query for GRDB; Daybook has no call that does less than the row above.
        let single = try await Interleaved.run(
            [
                Contestant(name: Contestants.daybook, run: { _ in _ = try arena.daybook.counts(of: month) }),
                Contestant(name: Contestants.grdb, run: { _ in _ = try arena.grdb.count(of: month) }),
                Contestant(name: Contestants.sqlite, run: { _ in _ = try arena.sqlite.count(of: month) }),
            ], rounds: rounds, warmUp: warmUp)
        report.add("the same against one `count(*)` of the month alone: \(size)", single)
        guard isLarge else { return }
        let completions = try completedCount(arena.daybook)
        report.note(
            "The store of \(size) has \(completions.grouped) completions, "
                + "\(try arena.grdb.count(of: month).grouped) of them in the month. A peer on SQLite steps over each completion "
                + "that it counts, Daybook reads one row a day: the ratio grows with what is counted.")
        report.require(
            "month statistics, four numbers of \(completions.grouped) completions", fasterThan: Contestants.grdb,
            times: 100, in: four)
        report.require("a month day by day, and the month before", fasterThan: Contestants.grdb, times: 100, in: daily)
        report.compare(
            "a month day by day, and the month before, against one `count(*)` of the month alone",
            fasterThan: Contestants.grdb, because: "reported: GRDB does less there", in: single)
    }

    /// Returns what a factor of five would be relative to plain LMDB.
    private func floorReason(_ times: [Times]) -> String {
        guard let theirs = times.first(where: { $0.name == Contestants.numbered }),
            let floor = times.first(where: { $0.name == Contestants.lmdb })
        else { return "reported" }
        let needed = theirs.ratio(to: floor).median / 5
        return "reported: 5x would be \(needed.short)x plain LMDB, which decodes nothing"
    }

    private func completedCount(_ peer: DaybookPeer) throws -> Int {
        try peer.daybook.tasks.read { try $0.count(in: .completed) }
    }
}
