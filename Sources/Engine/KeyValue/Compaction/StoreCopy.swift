import Injection

/// A copy of a store's entries in a new data file, and the state of the store that it has.
///
/// A read transaction pins that state until the copy has a later one. So others may write meanwhile, and what they have
/// changed is found by comparing the pages of both states (``TreeDifference``), whichever process wrote it.
///
/// Used on one thread, which must call `end`.
package final class StoreCopy {
    /// Called with an entry; what it throws ends the work.
    package typealias Check = (_ table: Table, _ key: RawSpan, _ value: RawSpan) throws -> Void

    /// Something has happened to the store after which the copy has to be begun anew.
    struct Disturbance: Error {}

    let replacement: DataFileReplacement
    private let environment: Environment
    private let names: [String]
    private let tables: [Table]
    private let targets: [Table]
    /// Pins the state that the copy has, or gets first.
    private var state: TransactionState
    private let meta: MetaPage
    /// The tables of that state, and those of the copy.
    private var heads: TableHeads
    private var copiedHeads: TableHeads?

    /// How many changed entries one transaction brings over: bounds its memory.
    private static let keysInTransaction = 20_000
    private static let entriesBetweenLooks = 256
    /// How often two commits may come between the beginning of a transaction and the look at its meta page.
    private static let pinningAttempts = 16

    /// Pins the newest state of a store.
    init(
        of environment: Environment, _ tables: [Table], named names: [String], in replacement: DataFileReplacement
    ) throws {
        self.environment = environment
        self.replacement = replacement
        (self.names, self.tables) = (names, tables)
        targets = try replacement.draft.openTables(names)
        (state, meta) = try Self.pin(environment.handle)
        do {
            heads = try TableHeads(of: tables, in: state)
            try checkNames(in: state)
        } catch {
            environment.handle.endRead(state)
            throw error
        }
    }

    /// Ends the transaction that pins the state.
    func end() {
        environment.handle.endRead(state)
    }

    private static func pin(_ handle: EnvironmentHandle) throws -> (TransactionState, MetaPage) {
        for _ in 0..<pinningAttempts {
            let state = try handle.beginRead()
            do {
                let number = try RawReadTransaction(viewing: state, lease: state.lease).number
                let pair = try MetaPage.pair(in: handle.dataFile)
                let meta = number % 2 == 0 ? pair.even : pair.odd
                if meta.transaction == number { return (state, meta) }
            } catch {
                handle.endRead(state)
                throw error
            }
            handle.endRead(state)
        }
        throw Disturbance()
    }

    /// Others may have created a table.
    private func checkNames(in state: TransactionState) throws {
        guard try RawReadTransaction(viewing: state, lease: state.lease).tableNames() == names else {
            throw Disturbance()
        }
    }

    // MARK: Copying

    /// Copies every entry, compares the copy, checks the pages of both files, and flushes the new one.
    ///
    /// - Parameters:
    ///   - pause: called at each entry and page.
    ///   - look: called from time to time; what it throws ends the work.
    func fill(pausing pause: @escaping () -> Void, looking look: () throws -> Void, _ check: Check) throws {
        let handle = environment.handle
        if let problem = try PageCensus(of: handle.dataFile, at: meta, pausing: pause).problems.all.first {
            throw replacement.damage(problem)
        }
        var count = 0
        func step() throws {
            pause()
            count += 1
            if count % Self.entriesBetweenLooks == 0 { try look() }
        }
        try replacement.copy(tables, to: targets, in: state) { table, key, value in
            try check(table, key, value)
            try step()
        }
        copiedHeads = try replacement.draft.read { copied in
            try compare(with: copied, step)
            return try TableHeads(of: targets, in: copied.state)
        }
        guard try replacement.draft.pageProblems(pausing: pause).all.isEmpty else {
            throw replacement.damage("the new file was not written correctly")
        }
        try flush()
    }

    /// Reads all entries of both files again.
    private func compare(with copied: borrowing RawReadTransaction, _ step: () throws -> Void) throws {
        for (source, target) in zip(tables, targets) {
            var old = try Cursor(over: source, state: state, lease: state.lease)
            var isOnEntry = try old.moveToFirst()
            let isEqual = try copied.withCursor(over: target) { new in
                var isOnCopy = try new.moveToFirst()
                while isOnEntry, isOnCopy {
                    let isSame = try new.withEntry { newKey, newValue in
                        try old.withEntry { key, value in key.isEqual(to: newKey) && value.isEqual(to: newValue) }
                    }
                    guard isSame else { return false }
                    try step()
                    isOnEntry = try old.moveToNext()
                    isOnCopy = try new.moveToNext()
                }
                return isOnEntry == isOnCopy
            }
            guard isEqual else { throw differs(source) }
        }
    }

    private func differs(_ table: Table) -> KeyValueError { replacement.damage("\(table.name): its copy differs") }

    /// Flushes what was copied.
    func flush() throws {
        try replacement.draft.flush()
    }

    // MARK: Catching up

    /// Gives the copy the newest state: finds what was changed since, brings it over, and compares it.
    ///
    /// - Parameter isLast: whether writers wait, so that no later state may come.
    /// - Returns: how many entries differed.
    func catchUp(isLast: Bool = false, _ check: Check) throws -> Int {
        if environment.handle.injectionPoint(.skipsCatchUp) { return 0 }
        let newest = try environment.handle.beginRead()
        do {
            if isLast {
                let number = try RawReadTransaction(viewing: newest, lease: newest.lease).number
                guard number == environment.statistics.lastTransaction else { throw Disturbance() }
            }
            let count = try catchUp(with: newest, check)
            environment.handle.endRead(state)
            state = newest
            return count
        } catch {
            environment.handle.endRead(newest)
            throw error
        }
    }

    private func catchUp(with newest: TransactionState, _ check: Check) throws -> Int {
        try checkNames(in: newest)
        let newestHeads = try TableHeads(of: tables, in: newest)
        // Both states are pinned, so no page of either was reused.
        let parts = try newestHeads.changedKeys(since: heads, in: newest, limit: Self.keysInTransaction)
        let reads = RawReadTransaction(viewing: newest, lease: newest.lease)
        for part in parts {
            try bring(part, from: reads, check)
            try compare(part, with: reads)
        }
        for (table, (head, copied)) in zip(tables, zip(newestHeads.heads, copiedHeads?.heads ?? [])) {
            guard head.entries == copied.entries else { throw differs(table) }
        }
        heads = newestHeads
        return parts.reduce(0) { $0 + $1.count }
    }

    /// Writes entries as they are now, in one transaction.
    private func bring(_ part: ChangedKeys, from reads: borrowing RawReadTransaction, _ check: Check) throws {
        try replacement.draft.write { transaction in
            try part.forEach { table, key in
                let found: Void? = try reads.get(key, in: tables[table]) { value in
                    try check(tables[table], key, value)
                    try transaction.put(key, value, in: targets[table])
                }
                if found == nil { try transaction.delete(key, in: targets[table]) }
            }
        }
    }

    /// Compares the copy with what was brought over: these entries have changed in it, and no others. LMDB reuses no page in the
    /// transaction after the one that has freed it, so the pages before and after that one can be compared.
    private func compare(_ part: ChangedKeys, with reads: borrowing RawReadTransaction) throws {
        copiedHeads = try replacement.draft.read { copied in
            let after = try TableHeads(of: targets, in: copied.state)
            guard let before = copiedHeads, after.transaction == before.transaction + 1,
                try after.changedKeys(since: before, in: copied.state) == [part]
            else { throw replacement.damage("the copy has changed in other entries than the store") }
            try part.forEach { table, key in
                let isEqual = try reads.get(key, in: tables[table]) { value in
                    try copied.get(key, in: targets[table]) { value.isEqual(to: $0) } ?? false
                }
                guard try isEqual ?? !copied.contains(key, in: targets[table]) else { throw differs(tables[table]) }
            }
            return after
        }
    }
}
