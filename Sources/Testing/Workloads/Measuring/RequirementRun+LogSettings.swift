import Daybook
import FoundationEssentials
import KeyValue
import Measuring

/// What each setting of the commit log is worth: how often the system is asked to begin to write the data file, and how many pages
/// of records there are between two checkpoints. Not measured unless it is asked for by its name.
extension RequirementRun {
    private struct LogSetting {
        let name: String
        let use: CommitLogUse

        init(_ name: String, _ use: CommitLogUse) {
            (self.name, self.use) = (name, use)
        }

        /// - Parameter writeback: the pages of records after which the writing begins; nil for never.
        init(writeback: Int?, checkpointPages: ClosedRange<Int>) {
            var use = CommitLogUse(entering: .whenBusy)
            use.writebackPages = writeback ?? .max
            use.checkpointPages = checkpointPages
            let (least, most) = (checkpointPages.lowerBound, checkpointPages.upperBound)
            let pages = least == most ? "\(most)" : "\(least) to \(most)"
            self.init("writeback after \(writeback.map { "\($0)" } ?? "none"), checkpoint after \(pages) pages", use)
        }

        static let all =
            [LogSetting("direct commits", .never)]
            + [
                (nil, 256...256), (8, 256...256), (4, 256...256), (4, 128...128), (4, 64...64), (4, 48...48),
                (4, 48...256),
                (2, 48...48), (1, 48...48), (1, 32...32),
            ].map { LogSetting(writeback: $0.0, checkpointPages: $0.1) }
    }

    /// Streams of creates, one setting after another in turns, so that all of them see the same disk; then groups of 64 creates at
    /// once; and what the files have grown to.
    func logSettings() async throws -> [MeasuredRow] {
        var stores: [(setting: LogSetting, store: DaybookStore, alone: [Int64], groups: [Int64])] = []
        for (number, setting) in LogSetting.all.enumerated() {
            let store = try openStore("log-setting-\(number)", setting.use)
            try await store.tasks.create((0..<taskCount).map { NewTask("Task \($0) of before") })
            stores.append((setting, store, [], []))
        }
        defer { for (_, store, _, _) in stores { store.close() } }
        for round in 0..<max(scale.stream / 2 / Self.turn, 1) {
            // There are eleven, a prime number: with each step all have their turn, and with each other one another predecessor.
            let step = 1 + round % (stores.count - 1)
            for place in stores.indices {
                let index = place * step % stores.count
                stores[index].alone += try await timeCreates(Self.turn, in: stores[index].store)
                stores[index].groups += try await timeGroups(8, in: stores[index].store)
            }
        }
        return try stores.enumerated().flatMap { number, measured in
            let (alone, groups) = (Timings(measured.alone), Timings(measured.groups))
            let bytes = try bytes(of: "log-setting-\(number)")
            let name = measured.setting.name
            return [
                MeasuredRow("log-settings", "\(name): mean of \(alone.runs) creates", .time(alone.mean)),
                MeasuredRow("log-settings", "\(name): median", .time(alone.median)),
                MeasuredRow("log-settings", "\(name): p99", .time(alone.percentile99)),
                MeasuredRow("log-settings", "\(name): p99.9", .time(alone.percentile999)),
                MeasuredRow("log-settings", "\(name): mean of \(groups.runs) groups of 64", .time(groups.mean)),
                MeasuredRow("log-settings", "\(name): p99 of groups of 64", .time(groups.percentile99)),
                MeasuredRow("log-settings", "\(name): both files", .bytes(bytes)),
            ]
        }
    }

    /// Times creates of 64 callers at once, until the last of them returns.
    private func timeGroups(_ count: Int, in store: DaybookStore) async throws -> [Int64] {
        var times: [Int64] = []
        for _ in 0..<count {
            times.append(
                try await Stopwatch.nanosecondsAwaiting {
                    try await withThrowingTaskGroup(of: Void.self) { group in
                        for number in 0..<64 {
                            group.addTask { _ = try await store.tasks.create("Task \(number) of many at once") }
                        }
                        try await group.waitForAll()
                    }
                })
        }
        return times
    }
}
