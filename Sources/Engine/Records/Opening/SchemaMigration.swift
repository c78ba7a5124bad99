import CivilTime
import FoundationEssentials
import KeyValue

/// Brings a store up to the schema that it is opened with. It only adds: it builds indexes and roll-ups from the
/// records when they are new, when they have changed, or when a program that did not declare them has not maintained
/// them.
struct SchemaMigration {
    let store: RecordStore

    /// What has to be done.
    private struct State {
        /// The version of the schema that wrote last; nil in a new store.
        var version: UInt32?
        /// The domains of this program whose versions are not noted yet.
        var changedDomains: [String: UInt32] = [:]
        /// Whether the store has an id; a store of an earlier version gets one when it is first opened for writing.
        var hasID = false
        /// The tables to build.
        var stale: Set<String> = []
        /// The indexes that are complete without their pending lists, since a program without them was the last
        /// to build them.
        var withoutPendingList: [DerivedTable] = []
        /// The collections whose list of maintained tables has changed.
        var changedLists: [(collection: UInt32, list: [UInt8])] = []
        /// The layouts of an application's collections that are not noted yet.
        var changedLayouts: [(collection: UInt32, layout: [UInt8])] = []
    }

    func run() throws {
        let schema = store.schema
        let state = try store.read { transaction in try transaction.withEngine { try readState(in: $0) } }
        guard
            state.version != schema.version || !state.stale.isEmpty || !state.withoutPendingList.isEmpty
                || !state.changedLists.isEmpty || !state.changedLayouts.isEmpty || !state.changedDomains.isEmpty
                || !state.hasID
        else { return }
        guard !store.isReadOnly else {
            // Without a readable version the records can be read all the same.
            if state.version == nil || state.version == schema.version, state.stale.isEmpty { return }
            throw RecordsError.engine(.tableMissing(name: state.stale.sorted().first ?? Meta.tableName))
        }
        try store.environment.checkPagesBeforeRepair()
        try store.environment.write { engine in
            // Another process may have done it since.
            let state = try readState(in: engine.reads)
            let transaction = store.maintenanceTransaction(engine)
            defer { transaction.end() }
            // The counts stay as they are, even where they do not match: `verify` detects losses by them.
            try Rebuild(schema: schema).derive(state.stale, in: transaction)
            try transaction.withWriter { engine in
                for index in state.withoutPendingList {
                    if let pendingList = index.part.pendingList { try engine.removeAll(in: pendingList.table) }
                    try index.noteBuilt(in: schema.meta, engine)
                }
                try write(state, in: engine)
            }
        }
    }

    private func write(_ state: State, in engine: borrowing RawWriteTransaction) throws {
        for (collection, list) in state.changedLists {
            try store.schema.meta.put(Meta.keptKey(collection), list, in: engine)
        }
        for (collection, layout) in state.changedLayouts {
            try store.schema.meta.put(Meta.declaredKey(collection), layout, in: engine)
        }
        try store.schema.meta.put(Meta.schemaKey, Meta.encode(store.schema.version), in: engine)
        // In one order: a dictionary's differs between processes, and equal histories have to make equal files.
        for (domain, version) in state.changedDomains.sorted(by: { $0.key < $1.key }) {
            try store.schema.meta.put(Meta.domainKey(domain), Meta.encode(version), in: engine)
        }
        if !state.hasID {
            try store.schema.meta.put(Meta.storeKey, UUID.random(store.context.random).keyBytes.array, in: engine)
        }
    }

    /// Removes unreadable entries from `meta` and writes this program's notes again, except the counts, which the
    /// caller writes. For a rebuild.
    func repairMeta(as before: borrowing RawReadTransaction, in transaction: WriteTransaction) throws {
        let meta = store.schema.meta
        var valid: [(key: KeyBytes, value: [UInt8])] = []
        let walked = try meta.walk(searching: true, in: before) { key, checksummed, state in
            guard state.isValid else { return }
            valid.append(
                (KeyBytes(copying: key), try meta.open(key: key, checksummed: checksummed) { value, _ in value.copied })
            )
        }
        if try walked != valid.count || walked != before.entryCount(of: meta.table) {
            try transaction.withWriter { engine in
                try engine.removeAll(in: meta.table)
                for (key, value) in valid { try meta.put(key, value, in: engine) }
            }
        }
        let state = try transaction.withEngine { try readState(in: $0) }
        try transaction.withWriter { try write(state, in: $0) }
    }

    private func readState(in engine: borrowing RawReadTransaction) throws -> State {
        let schema = store.schema
        var state = State()
        state.version = try note(Meta.schemaKey, in: engine).map { Meta.decodeNumber($0.span.bytes) }
        state.hasID = try note(Meta.storeKey, in: engine)?.count == 16
        for (domain, version) in schema.domains
        where try !isNoted(version, under: Meta.domainKey(domain), in: engine) {
            state.changedDomains[domain] = version
        }
        for (number, layout) in store.isReadOnly ? [] : schema.storedLayouts
        where try note(Meta.declaredKey(number), in: engine) != layout {
            state.changedLayouts.append((number, layout))
        }
        for collection in schema.collections {
            let kept = try note(Meta.keptKey(collection.number), in: engine) ?? []
            let tables = collection.derivedTables
            let list = Meta.encodeKept(tables.map(\.table))
            if list != kept { state.changedLists.append((collection.number, list)) }
            for derived in tables {
                if list != kept, !contains(derived.table.number, in: kept) {
                    state.stale.insert(derived.table.name)
                } else if try isBuiltWithoutPendingList(derived, in: engine) {
                    state.withoutPendingList.append(derived)
                } else if try !isBuilt(derived, in: engine) {
                    state.stale.insert(derived.table.name)
                }
            }
        }
        return state
    }

    private func isBuilt(_ derived: DerivedTable, in engine: borrowing RawReadTransaction) throws -> Bool {
        guard try isNoted(derived.version, under: Meta.builtKey(derived.table.number), in: engine) else { return false }
        guard derived.part.hasPendingList else { return true }
        // Without its note the table of the pending list was lost, and may have had some.
        let pendingList = PendingListRow.tableName(of: derived.table.name)
        return try isNoted(derived.version, under: Meta.builtKey(pendingList), in: engine)
    }

    /// Whether an index with a pending list was last built by a program that puts each key into its place. What the list may
    /// have from before that is out of date: a reader, which cannot remove it, has to have the index built again.
    private func isBuiltWithoutPendingList(_ derived: DerivedTable, in engine: borrowing RawReadTransaction) throws
        -> Bool
    {
        let part = derived.part
        guard part.hasPendingList, try isNoted(part.version, under: Meta.builtKey(part.table.number), in: engine) else {
            return false
        }
        guard store.isReadOnly, let pendingList = part.pendingList else { return true }
        return try engine.entryCount(of: pendingList.table) == 0
    }

    /// The note under a key. A damaged note counts as missing, so that its table is rebuilt.
    private func note(_ key: KeyBytes, in engine: borrowing RawReadTransaction) throws -> [UInt8]? {
        do {
            return try store.schema.meta.get(key, in: engine) { value, _ in value.copied }
        } catch RecordsError.damagedEntry {
            return nil
        }
    }

    /// Whether a note has a version, and nothing else. Nothing is copied: an opening looks at every index and roll-up.
    private func isNoted(
        _ version: UInt32, under key: KeyBytes, in engine: borrowing RawReadTransaction
    ) throws -> Bool {
        do {
            return try store.schema.meta.get(key, in: engine) { value, _ in
                value.byteCount == 4 && Meta.decodeNumber(value) == version
            } ?? false
        } catch RecordsError.damagedEntry {
            return false
        }
    }

    private func contains(_ number: UInt64, in list: [UInt8]) -> Bool {
        stride(from: 0, to: list.count - 7, by: 8).contains { offset in
            list.span.bytes.littleEndian(at: offset, as: UInt64.self) == number
        }
    }
}
