/// The results of the gate's self-test.
public struct SelfTestReport: Sendable, Equatable, Codable {
    /// One operation.
    public struct Row: Sendable, Equatable, Codable {
        /// The operation's name.
        public let operation: String
        /// The number of comparisons with itself.
        public var runs = 0
        /// The number of them that looked slower.
        public var falseAlarms = 0
        /// The number of them without a conclusion.
        public var inconclusive = 0
        /// The injected slowdowns in the order of trials.
        public var slowdowns: [Slowdown] = []

        /// The smallest slowdown in percent that every trial detected; nil if there is none.
        public var smallestFound: Int? { slowdowns.filter(\.isFound).map(\.percent).min() }

        init(operation: String) {
            self.operation = operation
        }

        fileprivate mutating func add(_ other: Row) {
            runs += other.runs
            falseAlarms += other.falseAlarms
            inconclusive += other.inconclusive
            for slowdown in other.slowdowns {
                if let index = slowdowns.firstIndex(where: { $0.percent == slowdown.percent }) {
                    slowdowns[index].trials += slowdown.trials
                    slowdowns[index].found += slowdown.found
                } else {
                    slowdowns.append(slowdown)
                }
            }
        }
    }

    /// One slowdown of one operation.
    public struct Slowdown: Sendable, Equatable, Codable {
        /// The size in percent.
        public let percent: Int
        /// The number of trials. The first miss is the last one.
        public var trials = 0
        /// The number of detections.
        public var found = 0

        /// Whether every trial detected it.
        public var isFound: Bool { found == trials }

        init(percent: Int) {
            self.percent = percent
        }
    }

    /// Whether counts revealed the extra work in one operation.
    public struct ExtraWorkRow: Sendable, Equatable, Codable {
        /// The injected work.
        public let extra: SelfTest.ExtraWork
        /// The operation's name.
        public let operation: String
        /// Whether the gate reported it.
        public let isFound: Bool
    }

    /// The number of comparisons of all operations with themselves.
    public private(set) var runs: Int
    /// The number of those runs with a false alarm in any operation.
    public private(set) var runsWithFalseAlarm: Int
    /// The operations.
    public private(set) var rows: [Row]
    /// The work injected into changes; nil if injection was unavailable.
    public private(set) var extraWork: [ExtraWorkRow]?

    /// Adds the results of another piece of the same self-test: of other operations, or of the same ones again.
    ///
    /// The number of runs is then that of the operation with the fewest. Which false alarms would have fallen into one run is
    /// not known, so each counts as a separate run.
    public mutating func add(_ other: SelfTestReport) {
        for row in other.rows {
            if let index = rows.firstIndex(where: { $0.operation == row.operation }) {
                rows[index].add(row)
            } else {
                rows.append(row)
            }
        }
        runs = rows.map(\.runs).min() ?? 0
        runsWithFalseAlarm += other.runsWithFalseAlarm
        // Each piece counts every change.
        if let found = other.extraWork { extraWork = found }
    }

    /// Returns those of some operations that were not compared.
    public func untested(of operations: [String]) -> [String] {
        let tested = Set(rows.map(\.operation))
        return operations.filter { !tested.contains($0) }
    }

    /// The proportion of runs with a false alarm.
    public var falseAlarmRate: Double { Double(runsWithFalseAlarm) / Double(max(runs, 1)) }

    /// Whether the gate is reliable: false alarms in fewer than one run in a hundred, and every slowdown of 10 %, every
    /// extra flush and every extra entry detected.
    public var isGood: Bool {
        falseAlarmRate < Self.allowedRate && missed.isEmpty && (extraWork ?? []).allSatisfy(\.isFound)
    }

    /// The operations in which a slowdown of 10 % was missed.
    var missed: [String] {
        rows.filter { $0.smallestFound.map { $0 > Self.promisedSlowdown } ?? true }.map(\.operation)
    }

    static let allowedRate = 0.01
    static let promisedSlowdown = 10
}

extension SelfTestReport {
    /// Returns the report as lines of text, which name those of all operations that were not compared.
    public func lines(of operations: [String]) -> [String] {
        let width = rows.map(\.operation.count).max() ?? 0
        var lines = [
            "\(Self.padded("operation", to: width))  false alarms  inconclusive  found in every trial"
        ]
        for row in rows {
            let found = row.smallestFound.map { "from \($0) %" } ?? "none"
            let missed = row.slowdowns.last { !$0.isFound }.map { ", missed \($0.percent) % in trial \($0.trials)" }
            lines.append(
                Self.padded(row.operation, to: width) + "  " + Self.padded("\(row.falseAlarms) of \(row.runs)", to: 12)
                    + "  " + Self.padded("\(row.inconclusive) of \(row.runs)", to: 12) + "  " + found + (missed ?? ""))
        }
        return lines + [""] + conclusions(untested(of: operations))
    }

    /// The conclusions in sentences.
    private func conclusions(_ untested: [String]) -> [String] {
        let inconclusive = rows.reduce(0) { $0 + $1.inconclusive }
        let all = rows.reduce(0) { $0 + $1.runs }
        var lines = [
            """
            False alarms: \(runsWithFalseAlarm) of \(runs) runs (\((falseAlarmRate * 100).toHundredths) %; fewer than 1 % are \
            allowed). Inconclusive: \(inconclusive) of \(all) comparisons.
            """
        ]
        if missed.isEmpty {
            let worst = rows.compactMap(\.smallestFound).max() ?? 0
            lines.append("A slowdown of \(worst) % was found in every trial of every operation.")
        } else {
            lines.append("A slowdown of \(Self.promisedSlowdown) % was missed in: \(missed.joined(separator: ", ")).")
        }
        if let extraWork {
            for extra in SelfTest.ExtraWork.allCases {
                let rows = extraWork.filter { $0.extra == extra }
                lines.append(
                    "One \(extra.rawValue) too many: found in \(rows.count(where: \.isFound)) of \(rows.count) operations."
                )
            }
        }
        if !untested.isEmpty { lines.append("Not compared: \(untested.joined(separator: ", ")).") }
        lines.append(
            isGood
                ? "Its comparisons and counts did what they promise here."
                : "Its comparisons and counts cannot be trusted here. Use a quieter machine.")
        return lines
    }

    private static func padded(_ text: String, to width: Int) -> String {
        text + String(repeating: " ", count: max(width - text.count, 0))
    }
}
