import CivilTime
import KeyValue

/// Brings a store up to the schema that it is opened with. Only ever adds: a new index or roll-up is built from the
/// records, a changed one is built anew.
struct SchemaMigration {
    let store: Store

    func run() throws(RecordsError) {
        let schema = store.schema
        let state = try rethrowing {
            try store.read { transaction in try transaction.withEngine { try readState(in: $0) } }
        }
        if let version = state.version, version > schema.version {
            throw .newerFormat(path: store.path, found: Int(version), known: Int(schema.version))
        }
        guard state.version != schema.version || !state.stale.isEmpty else { return }
        guard !store.environment.configuration.isReadOnly else {
            throw .engine(.tableMissing(name: state.stale.sorted().first ?? Meta.tableName))
        }
        try rethrowing {
            try store.environment.writeBlocking { engine in
                // Another process may have done it since.
                let state = try readState(in: engine.reads)
                let transaction = store.maintenanceTransaction(engine)
                defer { transaction.end() }
                _ = try Rebuild(schema: schema).derive(state.stale, in: transaction)
                try transaction.withWriter { engine in
                    _ = try schema.meta.put(Meta.schemaKey, Meta.encode(schema.version), in: engine)
                }
            }
        }
    }

    private func readState(
        in engine: borrowing KeyValue.ReadTransaction
    ) throws -> (version: UInt32?, stale: Set<String>) {
        let schema = store.schema
        let version = try schema.meta.get(Meta.schemaKey, in: engine) { value, _ in Meta.decodeNumber(value) }
        var stale: Set<String> = []
        for (table, declared) in schema.collections.flatMap(\.derivedTables) {
            let key = Meta.builtKey(table.name)
            let built = try schema.meta.get(key, in: engine) { value, _ in Meta.decodeNumber(value) }
            if built != declared { stale.insert(table.name) }
        }
        return (version, stale)
    }
}
