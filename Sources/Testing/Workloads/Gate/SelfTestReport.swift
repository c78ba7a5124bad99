/// What the gate found out about itself.
public struct SelfTestReport: Sendable, Equatable, Codable {
    /// One operation.
    public struct Row: Sendable, Equatable, Codable {
        /// Its name.
        public let operation: String
        /// How often it was compared with itself.
        public var runs = 0
        /// How often that looked slower.
        public var falseAlarms = 0
        /// How often it could not be told.
        public var inconclusive = 0
        /// The slowdowns that were put in, in the order in which they were tried.
        public var slowdowns: [Slowdown] = []

        /// The smallest slowdown, in percent, that was found in every trial; nil when none was.
        public var smallestFound: Int? { slowdowns.filter(\.isFound).map(\.percent).min() }

        init(operation: String) {
            self.operation = operation
        }
    }

    /// One slowdown of one operation.
    public struct Slowdown: Sendable, Equatable, Codable {
        /// By how many percent.
        public let percent: Int
        /// How often it was put in. The first miss is the last trial.
        public var trials = 0
        /// How often it was found.
        public var found = 0

        /// Whether it was found every time.
        public var isFound: Bool { found == trials }

        init(percent: Int) {
            self.percent = percent
        }
    }

    /// Whether the counts of one operation have shown that it does more than it should.
    public struct ExtraWorkRow: Sendable, Equatable, Codable {
        /// What was put in.
        public let extra: SelfTest.ExtraWork
        /// The operation's name.
        public let operation: String
        /// Whether the gate has said so.
        public let isFound: Bool
    }

    /// How often everything was compared with itself.
    public let runs: Int
    /// How many of those runs had a false alarm in any operation.
    public let runsWithFalseAlarm: Int
    /// The operations.
    public let rows: [Row]
    /// What was put into the changes; nil when nothing could be.
    public let extraWork: [ExtraWorkRow]?

    /// The share of runs with a false alarm.
    public var falseAlarmRate: Double { Double(runsWithFalseAlarm) / Double(max(runs, 1)) }

    /// Whether the gate does what it promises: fewer false alarms than one run in a hundred, a slowdown of 10 % found in
    /// every operation, and every flush and every put too many.
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
