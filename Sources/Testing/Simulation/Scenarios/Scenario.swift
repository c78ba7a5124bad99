import Daybook

/// A scenario about time: where and when it starts, and its steps.
public struct Scenario: Sendable, Equatable {
    /// What the scenario shows, in a sentence.
    public var name: String
    /// The requirements that it checks, such as `C-S3.9`.
    public var requirements: [String] = []
    /// What the wall clock shows at the start.
    public var start: Moment
    /// The zone at the start.
    public var zone: String
    /// The first day of a week.
    public var weekStart = Weekday.monday
    /// The seed of every id and random number.
    public var seed: UInt64 = 1
    /// Other zones from which the same store is observed: their statistics are compared after every step as well.
    public var observers: [String] = ["UTC", "Pacific/Auckland", "America/Los_Angeles"]
    /// The views that are observed live.
    public var followedViews: [TaskView] = TaskView.allCases
    /// The steps.
    public var steps: [Step] = []
    /// The file that the scenario was read from.
    public var file: String?

    /// Creates a scenario without steps.
    public init(name: String, start: Moment, zone: String) {
        self.name = name
        self.start = start
        self.zone = zone
    }

    /// Whether the scenario needs a machine with fault injection (``SimulatedMachine/canFail``), because the power
    /// fails, a crash interrupts an operation, the disk is full, or a second process is involved.
    public var needsFailingMachine: Bool {
        steps.contains { step in
            switch step.action {
            case .crash(let crash, let during, _): crash == .power || during != nil
            case .fault, .elsewhere: true
            default: false
            }
        }
    }
}

extension Scenario: CustomStringConvertible {
    /// The file and the name.
    public var description: String { (file.map { "\($0): " } ?? "") + name }
}

/// A value in a scenario file, or one that was found in a run: text, a list, or named values.
public indirect enum ScenarioValue: Sendable, Equatable {
    /// One word or sentence. Numbers are text as well.
    case text(String)
    /// Values in order.
    case list([ScenarioValue])
    /// Named values, in the order of the file.
    case map([Entry])
    /// Nothing: `none`, or an empty value.
    case none

    /// A named value.
    public struct Entry: Sendable, Equatable {
        /// The name.
        public var key: String
        /// The value.
        public var value: ScenarioValue
        /// The line of the file; nil for a value that was not read from a file.
        public var line: Int?

        /// Creates a named value.
        public init(_ key: String, _ value: ScenarioValue, line: Int? = nil) {
            self.key = key
            self.value = value
            self.line = line
        }
    }

    /// Creates named values.
    public static func named(_ entries: KeyValuePairs<String, ScenarioValue>) -> ScenarioValue {
        .map(entries.map { Entry($0.key, $0.value) })
    }

    /// Creates a list of texts.
    public static func texts(_ texts: some Sequence<String>) -> ScenarioValue { .list(texts.map { .text($0) }) }

    /// Creates a number.
    public static func number(_ number: Int) -> ScenarioValue { .text("\(number)") }

    /// Creates a number without a needless fraction: 18, not 18.0.
    public static func number(_ number: Double) -> ScenarioValue {
        .text(Int(exactly: number).map { "\($0)" } ?? "\(number)")
    }

    /// Returns whether a found value meets this expectation. Found entries that are not named here are ignored.
    public func accepts(_ found: ScenarioValue) -> Bool {
        switch (self, found) {
        case (.text(let expected), .text(let found)): return expected == found
        case (.none, .none): return true
        // An empty list and nothing are interchangeable.
        case (.none, .list(let found)), (.list(let found), .none): return found.isEmpty
        case (.list(let expected), .list(let found)):
            return expected.count == found.count && zip(expected, found).allSatisfy { $0.accepts($1) }
        case (.map(let expected), .map(let found)):
            return expected.allSatisfy { entry in
                found.first { $0.key == entry.key }.map { entry.value.accepts($0.value) } ?? false
            }
        default: return false
        }
    }
}

extension ScenarioValue: CustomStringConvertible {
    /// The value in one line, as in a scenario file.
    public var description: String {
        switch self {
        case .text(let text): text
        case .list(let values): "[" + values.map(\.description).joined(separator: ", ") + "]"
        case .map(let entries): "{" + entries.map { "\($0.key): \($0.value)" }.joined(separator: ", ") + "}"
        case .none: "none"
        }
    }
}

extension ScenarioValue {
    /// Returns the value of a name, or `none`.
    public subscript(name: String) -> ScenarioValue {
        entries.first { $0.key == name }?.value ?? .none
    }

    /// The named values in the order of the file; empty for a text or a list.
    public var entries: [Entry] {
        if case .map(let entries) = self { entries } else { [] }
    }

    /// Returns the text of a name, or of the value itself if no name is given:
    ///
    ///     vocabulary.add(verb: "measure") { value, daybook in
    ///         let sensor = try value.text("sensor")
    ///
    /// - Throws: a ``StoryFailure`` if it is not a text; the run adds the line of the step.
    public func text(_ name: String? = nil) throws(StoryFailure) -> String {
        let value = name.map { self[$0] } ?? self
        guard case .text(let text) = value else { throw value.misfit(name, "a text") }
        return text
    }

    /// Returns the number of a name, or of the value itself if no name is given: `let celsius: Double = try
    /// value.number("celsius")`.
    ///
    /// - Throws: a ``StoryFailure`` if it is not a number of this type; the run adds the line of the step.
    public func number<Number: LosslessStringConvertible & Numeric>(
        _ name: String? = nil, as type: Number.Type = Number.self
    ) throws(StoryFailure) -> Number {
        let value = name.map { self[$0] } ?? self
        guard case .text(let text) = value, let number = Number(text) else { throw value.misfit(name, "a number") }
        return number
    }

    private func misfit(_ name: String?, _ expected: String) -> StoryFailure {
        StoryFailure(name ?? "the value", expected: expected, found: "\(self)")
    }
}
