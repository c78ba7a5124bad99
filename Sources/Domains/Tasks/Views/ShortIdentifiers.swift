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
        guard let suffix, !suffix.isWhole else { return found }
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
            result[id] = try IdentifierSuffix.shortest(of: id, others: others) {
                try transaction[TaskItem.self].ids(beginning: $0, limit: 2)
            }
        }
        return result
    }
}
