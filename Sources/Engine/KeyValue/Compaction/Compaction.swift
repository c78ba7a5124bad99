extension Environment {
    /// Rewrites the data file, so that it holds nothing but the entries that are there now: no free pages, and nothing of
    /// entries that were removed or replaced before the call. The commit log becomes empty.
    ///
    /// The entries are copied one after another into a new file, which is compared with the old one, flushed, and then put
    /// in its place in one step (an atomic replace). A crash leaves the old file or the new one; both are complete. Writers
    /// of all processes continue while the entries are copied, and wait only while what they have written meanwhile is
    /// brought over. Readers do not wait: read transactions that are open continue in the old file, which goes away with the
    /// last of them.
    ///
    /// - Parameters:
    ///   - check: called with every entry, perhaps more than once. An error that it throws ends the compaction, and nothing
    ///     is changed.
    ///   - pause: called at each entry and page while writers continue: for letting others go first.
    /// - Returns: the length of the data file before and after, in bytes.
    /// - Throws: `damaged` when the tables or their pages are invalid; `commitUnknown` when the new file's name could not be
    ///   flushed.
    @discardableResult
    package func compact(
        checking check: StoreCopy.Check = { _, _, _ in }, pausing pause: @escaping () -> Void = {}
    ) throws -> (bytesBefore: Int, bytesAfter: Int) {
        guard !configuration.isReadOnly else { throw KeyValueError.readOnly }
        guard !MapGate.isNested else { throw KeyValueError.nestedWrite }
        var attempts = 0
        while true {
            let compaction = try Compaction(of: self, pausing: pause)
            let isBeside = attempts < Compaction.attemptsBesideWriters
            attempts += 1
            do {
                guard let sizes = try isBeside ? compaction.runBesideWriters(check) : compaction.runAlone(check) else {
                    continue
                }
                // A process without another transaction would keep the old file, which has no name any more.
                handle.followCompactionIfIdle()
                return sizes
            } catch KeyValueError.commitUnknown(let code) {
                writer.markBroken()
                throw KeyValueError.commitUnknown(code: code)
            }
        }
    }

    /// Commits a transaction that changes nothing.
    func raiseTransaction(in tables: [Table]) throws {
        let spare: [UInt8] = [0]
        try write { transaction in
            for table in tables {
                let entry = try transaction.reads.withCursor(over: table) { cursor -> (key: [UInt8], value: [UInt8])? in
                    guard try cursor.moveToFirst() else { return nil }
                    return try cursor.withEntry { key, value in (key.copied, value.copied) }
                }
                guard let entry else { continue }
                return try unsafe transaction.put(entry.key.span.bytes, entry.value.span.bytes, in: table)
            }
            guard let table = tables.first else { throw KeyValueError.damaged(path: path, detail: "it has no table") }
            try unsafe transaction.put(spare.span.bytes, spare.span.bytes, in: table)
            try unsafe transaction.delete(spare.span.bytes, in: table)
        }
    }
}

/// One attempt to compact a store.
struct Compaction {
    typealias Sizes = (bytesBefore: Int, bytesAfter: Int)

    private let environment: Environment
    private let names: [String]
    private let tables: [Table]
    private let pause: () -> Void
    /// The most bytes that the data file may use while a state of it is pinned, whose pages cannot be reused.
    private let usedLimit: Int
    /// With so many bytes in use it lets nobody go first any more, so that it ends before it has to begin again.
    private let hurryLimit: Int

    /// How often a compaction begins beside writers before it makes them wait for all of it.
    static let attemptsBesideWriters = 2
    /// How often the copy is brought up to date before writers have to wait, and how many changed entries are few enough to
    /// let them.
    private static let (rounds, fewKeys) = (8, 1_000)
    /// A small file may grow by so many bytes meanwhile, a larger one by as many as it has. A commit of a few entries takes some
    /// twenty pages, so that a thousand in a second take 80 MB.
    private static let leastGrowth = 256 << 20

    init(of environment: Environment, pausing pause: @escaping () -> Void) throws {
        self.environment = environment
        self.pause = pause
        names = try environment.read { try $0.tableNames() }
        tables = try environment.handle.openPresentTables(names)
        let needed = DataFileReplacement.transactionLimit(for: environment.statistics)
        while environment.statistics.lastTransaction < needed { try environment.raiseTransaction(in: tables) }
        let (used, ceiling) = (environment.statistics.usedBytes, environment.configuration.mapSizeCeiling)
        // Near the ceiling, writers need some of what is left.
        let growth = min(max(used, Self.leastGrowth), max(ceiling - used, 0) / 2)
        (usedLimit, hurryLimit) = (used + growth, used + growth / 4)
        // A change of the map would wait for the pinned state, and writers for the change.
        try environment.handle.growAheadOfNeed(by: growth)
    }

    /// Copies while others write, and makes them wait for the last few changes only.
    ///
    /// - Returns: nil when something has happened to the store that needs another attempt.
    func runBesideWriters(_ check: StoreCopy.Check) throws -> Sizes? {
        var hurries = false
        let pause = { if !hurries { self.pause() } }
        let look = {
            try self.look()
            hurries = environment.statistics.usedBytes > hurryLimit
        }
        do {
            return try build { copy in
                try copy.fill(pausing: pause, looking: look, check)
                for _ in 0..<Self.rounds {
                    pause()
                    try look()
                    let count = try copy.catchUp(check)
                    // Before writers wait, so that little is left to flush then.
                    try copy.flush()
                    if count <= Self.fewKeys { break }
                }
                let lock = try lockWriters()
                defer { environment.handle.abort(lock) }
                return try complete(copy, check)
            }
        } catch KeyValueError.storeGrew, KeyValueError.storeCompacted, KeyValueError.staleLock {
            // Transactions inside the one that pins the state cannot follow that.
            return nil
        }
    }

    /// Makes writers wait from the beginning.
    func runAlone(_ check: StoreCopy.Check) throws -> Sizes? {
        let lock = try lockWriters()
        defer { environment.handle.abort(lock) }
        return try build { copy in
            try copy.fill(pausing: {}, looking: {}, check)
            return try complete(copy, check)
        }
    }

    /// Begins a write transaction that writes nothing: it holds LMDB's lock for writers.
    private func lockWriters() throws -> TransactionState {
        if environment.hasStoppedWriting { throw KeyValueError.writingStopped }
        let state = try environment.handle.beginWrite()
        do {
            // Before the exchange: then nothing has happened when it fails.
            try environment.handle.commitLog?.empty()
        } catch {
            environment.handle.abort(state)
            throw error
        }
        return state
    }

    /// Builds a new file, and removes it if it has not taken the old one's place.
    private func build(_ body: (StoreCopy) throws -> Sizes?) throws -> Sizes? {
        let replacement = try DataFileReplacement(
            of: environment, in: StoreFolder.compactionFolder, tableCount: tables.count)
        defer { replacement.abandon() }
        do {
            let copy = try StoreCopy(of: environment, tables, named: names, in: replacement)
            defer { copy.end() }
            return try body(copy)
        } catch is StoreCopy.Disturbance {
            return nil
        } catch {
            throw replacement.located(error)
        }
    }

    /// Brings over what has changed since, and puts the new file into the old one's place. Writers wait.
    private func complete(_ copy: StoreCopy, _ check: StoreCopy.Check) throws -> Sizes? {
        _ = try copy.catchUp(isLast: true, check)
        let replacement = copy.replacement
        // Each round of catching up is a transaction of the new file, or several.
        guard replacement.draft.lastTransaction <= environment.statistics.lastTransaction else { return nil }
        let folder = StoreFolder(path: environment.path)
        let bytesBefore = folder.fileLength(StoreFolder.dataFile) ?? 0
        replacement.draft.finishUnflushed()
        // Flushes it.
        try replacement.number()
        try replacement.exchange()
        return (bytesBefore, folder.fileLength(StoreFolder.dataFile) ?? 0)
    }

    /// Looks whether the pinned state harms others.
    private func look() throws {
        let handle = environment.handle
        if handle.statistics.usedBytes > usedLimit || handle.gate.current.isChanging { throw StoreCopy.Disturbance() }
    }
}
