/// A value in a scenario file, or of what a run found: text, a list, or named values.
public indirect enum ScenarioValue: Sendable, Equatable {
    /// One word or sentence; numbers are text, too.
    case text(String)
    /// Values in order.
    case list([ScenarioValue])
    /// Named values, in the order of the file.
    case map([Entry])
    /// Nothing: `none`, or an empty value.
    case none

    /// One named value.
    public struct Entry: Sendable, Equatable {
        /// Its name.
        public var key: String
        /// The value.
        public var value: ScenarioValue
        /// The line it stands in; nil for what was not read from a file.
        public var line: Int?

        /// A named value.
        public init(_ key: String, _ value: ScenarioValue, line: Int? = nil) {
            self.key = key
            self.value = value
            self.line = line
        }
    }

    /// Named values.
    public static func named(_ entries: KeyValuePairs<String, ScenarioValue>) -> ScenarioValue {
        .map(entries.map { Entry($0.key, $0.value) })
    }

    /// Texts in order.
    public static func texts(_ texts: some Sequence<String>) -> ScenarioValue { .list(texts.map { .text($0) }) }

    /// A number.
    public static func number(_ number: Int) -> ScenarioValue { .text("\(number)") }

    /// A number, whole ones as people write them: 18, not 18.0.
    public static func number(_ number: Double) -> ScenarioValue {
        .text(Int(exactly: number).map { "\($0)" } ?? "\(number)")
    }

    /// Whether what was found is what this asks for. Of named values only those that are named here have to fit.
    public func accepts(_ found: ScenarioValue) -> Bool {
        switch (self, found) {
        case (.text(let expected), .text(let found)): return expected == found
        case (.none, .none): return true
        // An empty list and nothing are written in the same way by many.
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
    /// In one line, as a scenario file may have it.
    public var description: String {
        switch self {
        case .text(let text): text
        case .list(let values): "[" + values.map(\.description).joined(separator: ", ") + "]"
        case .map(let entries): "{" + entries.map { "\($0.key): \($0.value)" }.joined(separator: ", ") + "}"
        case .none: "none"
        }
    }
}
