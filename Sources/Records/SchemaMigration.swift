import CivilTime
import KeyValue

/// Brings a store up to the schema that it is opened with. Only ever adds: a new index or roll-up is built from the
/// records; so is one that has changed, and one that a program which did not know it has not kept up.
struct SchemaMigration {
    let store: Store

    /// What has to be done.
    private struct State {
        /// The version of the schema that wrote last; nil in a new store.
        var version: UInt32?
        /// The tables to build.
        var stale: Set<String> = []
        /// The collections whose list of what is kept up has changed.
        var changedLists: [(collection: UInt32, list: [UInt8])] = []
    }

    /// Refuses a store of a newer schema before any table of it is opened or made.
    static func refuseNewer(than version: UInt32, at path: String, in environment: Environment) throws(RecordsError) {
        let found = try rethrowing {
            let meta = SealedTable(try environment.openTables([Meta.tableName])[0])
            return try environment.read { engine in
                try meta.get(Meta.schemaKey, in: engine) { value, _ in Meta.decodeNumber(value) }
            }
        }
        if let found, found > version { throw .newerFormat(path: path, found: Int(found), known: Int(version)) }
    }

    func run() throws(RecordsError) {
        let schema = store.schema
        let state = try rethrowing {
            try store.read { transaction in try transaction.withEngine { try readState(in: $0) } }
        }
        guard state.version != schema.version || !state.stale.isEmpty || !state.changedLists.isEmpty else { return }
        guard !store.isReadOnly else {
            if state.version == schema.version, state.stale.isEmpty { return }
            throw .engine(.tableMissing(name: state.stale.sorted().first ?? Meta.tableName))
        }
        try rethrowing {
            try store.environment.write { engine in
                // Another process may have done it since.
                let state = try readState(in: engine.reads)
                let transaction = store.maintenanceTransaction(engine)
                defer { transaction.end() }
                _ = try Rebuild(schema: schema).derive(state.stale, in: transaction)
                try transaction.withWriter { engine in
                    for (collection, list) in state.changedLists {
                        try schema.meta.put(Meta.keptKey(collection), list, in: engine)
                    }
                    _ = try schema.meta.put(Meta.schemaKey, Meta.encode(schema.version), in: engine)
                }
            }
        }
    }

    private func readState(in engine: borrowing KeyValue.ReadTransaction) throws -> State {
        let schema = store.schema
        var state = State()
        state.version = try schema.meta.get(Meta.schemaKey, in: engine) { value, _ in Meta.decodeNumber(value) }
        for collection in schema.collections {
            let kept = try note(Meta.keptKey(collection.number), in: engine) ?? []
            var numbers: [UInt64] = []
            for (table, version) in collection.derivedTables {
                let number = Checksum.seed(ofTable: table.name)
                numbers.append(number)
                let built = try note(Meta.builtKey(table.name), in: engine)
                if built != Meta.encode(version) || !contains(number, in: kept) { state.stale.insert(table.name) }
            }
            var list: [UInt8] = []
            for number in numbers.sorted() { list.append(littleEndian: number) }
            if list != kept { state.changedLists.append((collection.number, list)) }
        }
        return state
    }

    /// What the store remembers under a key. A damaged note says nothing: what it was about is built again.
    private func note(_ key: KeyBytes, in engine: borrowing KeyValue.ReadTransaction) throws -> [UInt8]? {
        do {
            return try store.schema.meta.get(key, in: engine) { value, _ in value.copied }
        } catch RecordsError.damagedEntry {
            return nil
        }
    }

    private func contains(_ number: UInt64, in list: [UInt8]) -> Bool {
        stride(from: 0, to: list.count - 7, by: 8).contains { offset in
            list.span.bytes.littleEndian(at: offset, as: UInt64.self) == number
        }
    }
}
