import FoundationEssentials
import Records

extension TaskReading {
    /// Returns the task of an id, or of 4 or more digits of the beginning or the end of one.
    ///
    /// The end of an id is looked for among the tasks that are not completed first, as that is what short ids are made
    /// for, and among the others only if nothing else matches.
    ///
    /// - Throws: `TaskError`: `notAnID`, `noSuchTask`, `ambiguous` with up to 10 candidates; `RecordsError`.
    /// - Complexity: a look-up for a full id; otherwise a step for each open task, or for each task if none matches.
    public func find(_ text: String) throws -> TaskItem {
        let candidates = try candidates(for: text, limit: 11)
        guard let first = candidates.first else { throw TaskError.noSuchTask(id: text.lowercased()) }
        guard candidates.count == 1 else {
            throw TaskError.ambiguous(prefix: text.lowercased(), candidates: candidates.prefix(10).map(\.lowercased))
        }
        guard let task = try get(first) else { throw TaskError.noSuchTask(id: text.lowercased()) }
        return task
    }

    /// Returns the ids of the tasks that a full id, the beginning or the end of one could mean, up to a limit.
    ///
    /// - Throws: `TaskError.notAnID`, `RecordsError`.
    public func candidates(for text: String, limit: Int) throws -> [UUID] {
        let prefix = IdentifierPrefix(text)
        let suffix = IdentifierSuffix(text)
        guard prefix != nil || suffix != nil else { throw TaskError.notAnID(text) }
        var found: [UUID] = []
        for beginning in prefix?.beginnings ?? [] where found.count < limit {
            found += try transaction[TaskItem.self].ids(beginning: beginning, limit: limit - found.count)
        }
        guard let suffix, text.utf8.count < 36 else { return found }
        var known = Set(found)
        func search(_ state: TaskState) throws {
            try transaction[TaskItem.byState].forEachKey(prefix: state.rank) { _, id in
                if suffix.matches(id), known.insert(id).inserted { found.append(id) }
                return found.count < limit
            }
        }
        for state in [TaskState.active, .notStarted] where found.count < limit { try search(state) }
        if found.isEmpty { try search(.completed) }
        return found
    }

    /// Returns short ids for tasks that are shown together: of each id the shortest suffix of at least 4 digits that no
    /// other of these tasks, no open task and no beginning of an id shares.
    ///
    /// - Complexity: a step for each open task, and a look-up for each id.
    public func shortIDs(of ids: [UUID]) throws -> [UUID: String] {
        guard !ids.isEmpty else { return [:] }
        // Only ids with the same last four digits can need more than these.
        var groups: [UInt16: Set<UUID>] = [:]
        for id in ids { groups[id.lastDigits, default: []].insert(id) }
        for state in [TaskState.active, .notStarted] {
            try transaction[TaskItem.byState].forEachKey(prefix: state.rank) { _, id in
                if let index = groups.index(forKey: id.lastDigits) { groups.values[index].insert(id) }
                return true
            }
        }
        var result: [UUID: String] = [:]
        for id in ids where result[id] == nil {
            let others = groups[id.lastDigits, default: []].filter { $0 != id }
            result[id] = try IdentifierSuffix.all(of: id).first { text in
                guard let suffix = IdentifierSuffix(text), !others.contains(where: suffix.matches) else {
                    return false
                }
                return try !isBeginning(text, ofOtherThan: id)
            }
        }
        return result.merging(ids.map { ($0, $0.lowercased) }) { short, _ in short }
    }

    /// Whether the id of another task begins with these digits.
    private func isBeginning(_ digits: String, ofOtherThan id: UUID) throws -> Bool {
        guard let prefix = IdentifierPrefix(digits) else { return false }
        return try prefix.beginnings.contains { beginning in
            try transaction[TaskItem.self].ids(beginning: beginning, limit: 2).contains { $0 != id }
        }
    }
}

/// The beginning of an id as a person types it: hexadecimal digits, with hyphens where an id has them, 4 or more characters.
struct IdentifierPrefix {
    /// The beginnings in whole bytes at which a look-up starts: one, or sixteen if the last digit is half a byte.
    let beginnings: [[UInt8]]

    init?(_ text: String) {
        guard identifierPattern.matches(text) else { return nil }
        let digits = text.compactMap(\.hexDigitValue)
        let wholeBytes = stride(from: 0, to: digits.count - 1, by: 2).map { UInt8(digits[$0] << 4 | digits[$0 + 1]) }
        beginnings =
            digits.count % 2 == 0
            ? [wholeBytes] : (0..<16).map { wholeBytes + [UInt8(digits[digits.count - 1] << 4 | $0)] }
    }
}

/// The end of an id as a person types it, by the same rules.
struct IdentifierSuffix {
    private let value: UInt128
    private let mask: UInt128

    init?(_ text: String) {
        guard identifierPattern.reversed().matches(text.reversed()) else { return nil }
        let digits = text.compactMap(\.hexDigitValue)
        value = digits.reduce(0) { $0 << 4 | UInt128($1) }
        mask = digits.count == 32 ? .max : (1 << UInt128(4 * digits.count)) - 1
    }

    func matches(_ id: UUID) -> Bool { (id.number ^ value) & mask == 0 }

    /// The suffixes of an id of 4 digits and more, the shortest first; none begins with a hyphen.
    static func all(of id: UUID) -> some Sequence<String> {
        let text = id.lowercased
        return (4...36).lazy.map { String(text.suffix($0)) }.filter { $0.first != "-" }
    }
}

/// Where an id has hyphens.
private let identifierPattern = Array("xxxxxxxx-xxxx-xxxx-xxxx-xxxxxxxxxxxx")

extension [Character] {
    /// Whether a text of 4 to 36 characters follows this pattern as far as it goes.
    fileprivate func matches(_ text: some Collection<Character>) -> Bool {
        guard text.count >= 4, text.count <= 36 else { return false }
        return zip(text, self).allSatisfy { character, expected in
            expected == "-" ? character == "-" : character.isASCII && character.isHexDigit
        }
    }
}

extension UUID {
    /// The 16 bytes as one number.
    fileprivate var number: UInt128 {
        let (high, low) = bigEndianHalves
        return UInt128(high) << 64 | UInt128(low)
    }

    /// The last four digits as a number.
    fileprivate var lastDigits: UInt16 { UInt16(truncatingIfNeeded: number) }
}
