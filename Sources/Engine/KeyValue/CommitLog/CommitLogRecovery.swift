import CLMDB
import FileSystem
import Injection
import Threading

/// Gives a store that was left in logged mode the state that its log describes: the checkpoint, and every record after it.
///
/// A process that has the store alone trusts nothing but the disk: what is in the page cache may be lost with it. A crash at any
/// step leads to the same state, since the pages of the checkpoint are not changed before the last step: LMDB's own commit, the one
/// after it, does not touch them.
///
/// Cost: the pages that the records change; two flushes for them, and three of the log.
struct CommitLogRecovery {
    private let folder: StoreFolder
    private let configuration: EnvironmentConfiguration
    private let file: CommitFile
    private let dataFile: String

    /// Recovers the store in a folder, if it has to be: no other process has it open. Inside the gate, with LMDB closed.
    ///
    /// - Throws: `needsRepair` for a read-only opening where the files may not be written; `damaged` when log and data file do not
    ///   belong together, or the log is damaged in its middle; `storageFull`, with nothing lost.
    static func run(in folder: StoreFolder, _ configuration: EnvironmentConfiguration) throws(KeyValueError) {
        guard let file = try CommitFile(inStore: folder.path, isReadOnly: true),
            !configuration.injectionPoint(.opensWithoutRecovery)
        else { return }
        let dataFile = "\(folder.path)/\(StoreFolder.dataFile)"
        // Whoever has it open shares the page cache with the process that has opened it first. The slots are read after that, since
        // another process may turn the store and die meanwhile.
        guard let alone = try FileLock.take(dataFile, .exclusive), !folder.isLockFileInUse,
            try file.slots().checkedCurrent(ofStore: folder.path).mode != .direct
        else { return }
        defer { withExtendedLifetime(alone) {} }
        do throws(KeyValueError) {
            guard
                let file = try CommitFile(
                    inStore: folder.path, isReadOnly: false, injectionPoint: configuration.injectionPoint)
            else { return }
            try CommitLogRecovery(folder: folder, configuration: configuration, file: file, dataFile: dataFile).run()
        } catch {
            switch error {
            case .permissionDenied where configuration.isReadOnly, .readOnlyFileSystem where configuration.isReadOnly:
                throw .needsRepair(path: folder.path)
            default: throw error
            }
        }
    }

    private func run() throws(KeyValueError) {
        let slots = try file.slots()
        var slot = try slots.checkedCurrent(ofStore: folder.path)
        guard let pages = slot.metaPages else { throw damage("its slot has no checkpoint") }
        if !slots.isConfirmed {
            if !configuration.injectionPoint(.rewritesSlotsInPlace) { slot.number += 1 }
            try file.put(slot)
        }
        let records = try file.records(of: slot, inStore: folder.path)
        try checkOrigin(of: slot, recordCount: records.count)
        if !configuration.injectionPoint(.keepsLaterMetaPages) { try restore(pages) }
        try folder.checkLength()
        let handle = try openCheckpoint(slot.checkpoint)
        do throws(KeyValueError) {
            if !records.isEmpty { try apply(records, to: handle) }
            handle.close()
        } catch {
            handle.close()
            throw error
        }
        try file.put(CommitSlot(number: slot.number + 1, mode: .direct, logLength: slot.logLength))
    }

    /// Refuses a log that belongs to another data file.
    ///
    /// Meta pages that cannot be read are what a crash has left of an earlier recovery's third step, which is repeated.
    private func checkOrigin(of slot: CommitSlot, recordCount: Int) throws(KeyValueError) {
        guard slot.mayFollow(try MetaPage.readable(in: dataFile).map(\.transaction), recordCount: recordCount) else {
            throw damage("its commit log does not belong to its data file")
        }
    }

    private func restore(_ pages: CommitSlot.MetaPages) throws(KeyValueError) {
        guard let even = unsafe MetaPage(pages.even.span.bytes) else { throw damage("its slot has no meta page") }
        let data = try systemCall("open the data file", on: dataFile, FileDescriptor(dataFile, for: .readingAndWriting))
        defer { data.close() }
        for (offset, bytes) in [(0, pages.even), (even.pageSize, pages.odd)] {
            try systemCall("restore the meta pages", data.write(bytes, at: offset))
        }
        try systemCall("flush the data file", data.flushData())
    }

    /// Opens LMDB at the checkpoint. A dying process may still hold the lock file, and with it the number of a later transaction.
    private func openCheckpoint(_ checkpoint: UInt64) throws(KeyValueError) -> EnvironmentHandle {
        var configuration = configuration
        configuration.isReadOnly = false
        // One transaction takes the place of many, without the pages that these could reuse in between.
        configuration.mapSizeCeiling += CommitLogUse.never.growthLimit * 8
        for attempt in 0..<EnvironmentHandle.openingAttempts {
            if attempt > 0 { pauseThread(microseconds: EnvironmentHandle.pause) }
            let handle = try EnvironmentHandle(recovering: folder.path, configuration: configuration)
            if try handle.visibleTransaction() == checkpoint { return handle }
            handle.close()
        }
        throw .staleLock(path: folder.path)
    }

    private func apply(_ records: [CommitRecord], to handle: EnvironmentHandle) throws(KeyValueError) {
        let names = Set(records.flatMap(\.changes).map(\.table)).sorted()
        let tables = try handle.openPresentTables(names)
        var tableOfName: [String: Table] = [:]
        for table in tables { tableOfName[table.name] = table }
        while true {
            let state = try handle.beginWrite()
            do throws(KeyValueError) {
                let transaction = RawWriteTransaction(state)
                for change in records.lazy.flatMap(\.changes) {
                    guard let table = tableOfName[change.table] else { throw .tableMissing(name: change.table) }
                    switch change {
                    case .put(_, let key, let value):
                        try unsafe transaction.put(key.span.bytes, value.span.bytes, in: table)
                    case .delete(_, let key):
                        try unsafe transaction.delete(key.span.bytes, in: table)
                    }
                }
                return try handle.check(handle.commit(state), "recover the store")
            } catch {
                handle.abort(state)
                guard error == .mapFull, handle.makeRoomAfterOverflow() else { throw error }
            }
        }
    }

    private func damage(_ detail: String) -> KeyValueError { .damaged(path: folder.path, detail: detail) }
}

extension CommitSlot {
    /// Whether a data file with these transactions in the meta pages that can be read can have its checkpoint here.
    func mayFollow(_ found: [UInt64], recordCount: Int) -> Bool {
        let last = checkpoint + UInt64(max(recordCount, 1))
        let belongs = found.count < 2 || found.contains { (checkpoint...last).contains($0) }
        return belongs && found.allSatisfy { $0 <= last }
    }
}

extension CommitRecord.Change {
    var table: String {
        switch self {
        case .put(let table, _, _), .delete(let table, _): table
        }
    }
}
