import KeyValue

/// Opens the tables of a schema, and distinguishes a table that the store never had from one that it has lost.
struct SchemaTables {
    let schema: Schema
    let path: String
    let environment: Environment

    /// The tables by name. Unless tables are created, those of collections that never had a record, and indexes and roll-ups
    /// that were never built, are not among them.
    ///
    /// - Throws: `newerFormat`, before any other table is opened or made; `damaged` for a store that has lost a table
    ///   that cannot be derived: with an empty table in its place it would look like a store without records.
    func open(creating: Bool) throws -> [String: Table] {
        guard let meta = try environment.openPresentTables([Meta.tableName]).first.map({ ChecksummedTable($0) }) else {
            throw lostTable(Meta.tableName)
        }
        try checkVersion(than: schema.version, under: Meta.schemaKey, by: meta)
        for (domain, version) in schema.domains {
            try checkVersion(than: version, under: Meta.domainKey(domain), by: meta)
        }
        let names = schema.tableNames
        var tables = try environment.openPresentTables(names)
        let present = Set(tables.map(\.name))
        let missing = names.filter { !present.contains($0) }
        try checkForLostTables(of: missing, by: meta)
        if creating, !missing.isEmpty {
            try environment.checkPagesBeforeRepair()
            try clearBuiltNotes(of: missing, in: meta)
            tables = try environment.openTables(names)
        } else if let first = try environment.read({ try firstRequired(of: missing, by: meta, in: $0) }) {
            throw KeyValueError.tableMissing(name: first)
        }
        return Dictionary(tables.map { ($0.name, $0) }, uniquingKeysWith: { first, _ in first })
    }

    /// An unreadable version must not lock users out of their store. Only a program older than the last writer could
    /// misread it; even then `store.json` guards the format, unknown fields survive a rewrite, and `kept/` makes the
    /// newer program rebuild what this one did not maintain.
    private func checkVersion(than version: UInt32, under key: KeyBytes, by meta: ChecksummedTable) throws {
        do {
            let found = try environment.read { engine in
                try meta.get(key, in: engine) { value, _ in Meta.decodeNumber(value) }
            }
            if let found, found > version {
                throw RecordsError.newerFormat(path: path, found: Int(found), known: Int(version))
            }
        } catch RecordsError.damagedEntry {
            return
        }
    }

    /// Every store has had a change log from its first moment, and a collection that was ever written has a count.
    private func checkForLostTables(of missing: [String], by meta: ChecksummedTable) throws {
        if missing.contains(ChangeLog.tableName) { throw lostTable(ChangeLog.tableName) }
        for collection in schema.collections where missing.contains(collection.name) {
            let key = Meta.countKey(Checksum.collectionNumber(of: collection.name))
            let isEmpty = try environment.read { engine in
                do {
                    return try meta.get(key, in: engine) { value, _ in RecordCount(value) == .none } ?? true
                } catch RecordsError.damagedEntry {
                    return false
                }
            }
            if !isEmpty { throw lostTable(collection.name) }
        }
    }

    /// The first missing table that a reader needs: an index or roll-up that was built once. One that was never built, and a
    /// collection that never had a record, are left out instead.
    private func firstRequired(
        of missing: [String], by meta: ChecksummedTable, in engine: borrowing RawReadTransaction
    ) throws -> String? {
        let derived = Set(schema.collections.flatMap { $0.tableNames.dropFirst() })
        return try missing.first { name in
            try derived.contains(name) && engine.contains(Meta.builtKey(name).bytes, in: meta.table)
        }
    }

    /// A lost index or roll-up must be rebuilt. The note that it was built is removed first, so that a crash in between
    /// does not prevent the rebuild.
    private func clearBuiltNotes(of missing: [String], in meta: ChecksummedTable) throws {
        let notes = missing.map(Meta.builtKey)
        let isNoted = try environment.read { engine in
            try notes.contains { try engine.contains($0.bytes, in: meta.table) }
        }
        guard isNoted else { return }
        try environment.write { engine in
            for note in notes { try engine.delete(note.bytes, in: meta.table) }
        }
    }

    private func lostTable(_ table: String) -> KeyValueError {
        .damaged(path: path, detail: "the table \(table) is missing")
    }
}

extension Environment {
    /// Refuses to add tables or to build indexes where pages are damaged. What is missing may be missing because of the
    /// damage: adding to such a page would make it worse, and LMDB could loop in a tree that leads back to itself.
    func checkPagesBeforeRepair() throws {
        guard let problem = try pageProblems().ofOwnership.first else { return }
        throw KeyValueError.damaged(path: path, detail: "\(problem); export into a new store")
    }
}
