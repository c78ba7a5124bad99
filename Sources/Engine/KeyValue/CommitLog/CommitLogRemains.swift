/// What the commit log of a store that was not closed holds beyond its data file, for reading what is left of a damaged store.
///
/// In logged mode the data file is whole at the checkpoint: the pages of later commits may be on the disk or not. The log has
/// every change since.
package struct CommitLogRemains {
    /// The beginnings of the data file's first two pages at the checkpoint.
    let metaPages: CommitSlot.MetaPages
    /// The last value that the log gives to each key of a table; nil for a key that it removes.
    package private(set) var changes: [String: [[UInt8]: [UInt8]?]] = [:]
    /// Whether the log is damaged in its middle, so that later changes than these were committed.
    let isCutShort: Bool

    /// Nil when the data file is all there is: the store has no log or was in direct mode, no slot can be read, or the log belongs
    /// to another data file.
    init?(besideDataFile path: String, named name: String) {
        let folder = String(path.dropLast(name.count + 1))
        guard path.hasSuffix("/\(name)"), let opened = try? CommitFile(inStore: folder, isReadOnly: true),
            let slot = try? opened.slots().checkedCurrent(ofStore: folder), let metaPages = slot.metaPages,
            let log = try? opened.log(of: slot),
            let transactions = try? MetaPage.readable(in: path).map(\.transaction),
            slot.mayFollow(transactions, recordCount: log.records.count)
        else { return nil }
        self.metaPages = metaPages
        isCutShort = log.laterTransaction != nil
        for change in log.records.lazy.flatMap(\.changes) {
            switch change {
            case .put(let table, let key, let value): changes[table, default: [:]][key] = .some(value)
            case .delete(let table, let key): changes[table, default: [:]][key] = .some(nil)
            }
        }
    }
}

extension CommitSlot.MetaPages {
    /// The meta pages that are valid.
    var readable: [MetaPage] { [even, odd].compactMap { unsafe MetaPage($0.span.bytes) } }
}

extension PageSurvey {
    /// Surveys the data file of a store, with what the commit log beside it holds. Neither is changed.
    ///
    /// - Parameters:
    ///   - file: the data file.
    ///   - clock: the table by whose last key states are ordered: see `newestState`.
    /// - Throws: `permissionDenied`, `storeNotFound`; `damaged` for an empty file.
    package static func ofStore(_ file: String, orderedBy clock: String) throws(KeyValueError) -> PageSurvey {
        let log = CommitLogRemains(besideDataFile: file, named: StoreFolder.dataFile)
        if log?.isCutShort != false {
            let newest = try PageSurvey(of: file, orderedBy: clock)
            // After a process was killed the data file has all that the log has lost.
            if log == nil || newest.isValid { return newest }
        }
        return try PageSurvey(of: file, orderedBy: clock, with: log)
    }
}
