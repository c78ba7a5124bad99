import FoundationEssentials
import Records

/// Which threads a text can name.
public enum ThreadScope: Sendable, Hashable {
    /// Those that are not deleted.
    case live
    /// Those that are deleted.
    case deleted
    /// All.
    case all

    func contains(_ thread: JournalThread) -> Bool {
        switch self {
        case .live: !thread.isDeleted
        case .deleted: thread.isDeleted
        case .all: true
        }
    }
}

extension JournalReading {
    /// Returns the thread that a text names: an id, a title, a title but for case and diacritics, the beginning of a title,
    /// or 4 or more digits of the beginning or the end of an id.
    ///
    /// - Throws: `JournalError`: `noSuchThread`, `ambiguousThread` with up to 10 candidates.
    /// - Complexity: some steps for each title that begins so; a step for each thread if none does.
    public func findThread(_ text: String, _ scope: ThreadScope = .live) throws -> JournalThread {
        if let id = UUID(uuidString: text) {
            guard let thread = try thread(id, deleted: true), scope.contains(thread) else {
                throw JournalError.noSuchThread
            }
            return thread
        }
        let prefix = TextPrefix(text)
        let titled =
            prefix.form.isEmpty ? [] : try transaction[JournalThread.byTitle].prefix(prefix).filter(scope.contains)
        let key = TextKey(text)
        for fits in [{ $0.title == text }, { TextKey($0.title) == key }, { _ in true }] as [(JournalThread) -> Bool] {
            if let thread = try only(titled.filter(fits)) { return thread }
        }
        guard let thread = try only(threads(withID: text).filter(scope.contains)) else {
            throw JournalError.noSuchThread
        }
        return thread
    }

    /// The thread that fits; nil if none does.
    private func only(_ threads: [JournalThread]) throws -> JournalThread? {
        guard threads.count <= 1 else {
            throw JournalError.ambiguousThread(candidates: threads.prefix(10).map(\.id.lowercased))
        }
        return threads.first
    }

    private func threads(withID text: String) throws -> [JournalThread] {
        let suffix = IdentifierSuffix(text)
        var ids: Set<UUID> = []
        for beginning in IdentifierPrefix(text)?.beginnings ?? [] {
            ids.formUnion(try transaction[JournalThread.self].ids(beginning: beginning, limit: 11))
        }
        if let suffix {
            try transaction[JournalThread.byUpdate].forEachKey { _, id in
                if suffix.matches(id) { ids.insert(id) }
                return true
            }
        }
        return try ids.sorted { $0.uuidString < $1.uuidString }.compactMap { try thread($0, deleted: true) }
    }

    /// Returns the entry of an id, or of 4 or more digits of the beginning or the end of one, if it is not deleted.
    ///
    /// - Throws: `JournalError`: `notAnID`, `noSuchEntry`, `ambiguousEntry` with up to 10 candidates.
    /// - Complexity: some steps for each entry whose id fits, however many entries there are.
    public func findEntry(_ text: String) throws -> JournalEntry {
        let (prefix, suffix) = (IdentifierPrefix(text), IdentifierSuffix(text))
        guard prefix != nil || suffix != nil else { throw JournalError.notAnID }
        var ids: Set<UUID> = []
        for beginning in prefix?.beginnings ?? [] {
            ids.formUnion(try transaction[JournalEntry.self].ids(beginning: beginning, limit: 11))
        }
        if let suffix {
            let (from, to) = suffix.ends
            try transaction[JournalEntry.byEnd].forEachKey(from: from, to: to) { _, id in
                if suffix.matches(id) { ids.insert(id) }
                return ids.count < 11
            }
        }
        let entries = try ids.sorted { $0.uuidString < $1.uuidString }.compactMap { try entry($0) }
        guard let first = entries.first else { throw JournalError.noSuchEntry }
        guard entries.count == 1 else {
            throw JournalError.ambiguousEntry(candidates: entries.prefix(10).map(\.id.lowercased))
        }
        return first
    }

    /// Returns short ids for entries that are shown: of each id the shortest suffix of at least 4 digits that names no other
    /// entry.
    ///
    /// - Complexity: some steps for each id, and for each entry whose id has the same end.
    public func shortIDs(of entries: [UUID]) throws -> [UUID: String] {
        var result: [UUID: String] = [:]
        for id in entries where result[id] == nil {
            let (from, to) = IdentifierSuffix(String(id.lowercased.suffix(4)))?.ends ?? (0, nil)
            var others: [UUID] = []
            try transaction[JournalEntry.byEnd].forEachKey(from: from, to: to) { _, other in
                if other != id { others.append(other) }
                return true
            }
            result[id] = try IdentifierSuffix.shortest(of: id, others: others) {
                try transaction[JournalEntry.self].ids(beginning: $0, limit: 2)
            }
        }
        return result
    }

    /// Returns short ids for threads, each unique among all threads.
    ///
    /// - Complexity: a step for each thread.
    public func shortIDs(ofThreads threads: [UUID]) throws -> [UUID: String] {
        var groups: [UInt16: [UUID]] = [:]
        for id in threads { groups[id.lastDigits] = [] }
        try transaction[JournalThread.byUpdate].forEachKey { _, id in
            if let index = groups.index(forKey: id.lastDigits) { groups.values[index].append(id) }
            return true
        }
        var result: [UUID: String] = [:]
        for id in threads where result[id] == nil {
            let others = groups[id.lastDigits, default: []].filter { $0 != id }
            result[id] = try IdentifierSuffix.shortest(of: id, others: others) {
                try transaction[JournalThread.self].ids(beginning: $0, limit: 2)
            }
        }
        return result
    }

    /// Returns the field of a thread that a text names: an id, a name, a name but for case and diacritics, or 4 or more digits
    /// of the beginning or the end of an id.
    ///
    /// - Throws: `JournalError.noSuchField`.
    public func findField(_ text: String, in thread: UUID) throws -> CustomField {
        let fields = try transaction[CustomField.byPlace].prefix(thread)
        if let id = UUID(uuidString: text), let field = fields.first(where: { $0.id == id }) { return field }
        if let exact = fields.first(where: { $0.name == text }) { return exact }
        let key = TextKey(text)
        let same = fields.filter { TextKey($0.name) == key }
        if same.count == 1 { return same[0] }
        let (prefix, suffix) = (IdentifierPrefix(text), IdentifierSuffix(text))
        let named = fields.filter { field in
            let bytes = field.id.keyArray
            return suffix?.matches(field.id) ?? false || prefix?.beginnings.contains(where: bytes.starts) ?? false
        }
        guard same.isEmpty, named.count == 1 else { throw JournalError.noSuchField }
        return named[0]
    }
}
