/// What the file `commits` of a store says, for reports and labs.
package struct CommitLogState: Equatable, Sendable {
    /// How the store commits.
    package enum Mode: String, Sendable {
        /// LMDB commits by itself.
        case direct
        /// A commit is a record in the log.
        case logged
        /// A flush of the data file has failed: the next process that opens the store alone recovers it.
        case stopped
    }

    package let mode: Mode
    /// The transaction to which the data file can be restored; nil in direct mode.
    package let checkpoint: UInt64?
    /// The records of the log, which are to be applied to it.
    package let recordCount: Int
    /// The bytes of the log that these take up.
    package let logBytes: Int

    /// The file's name in the store's folder.
    package static let fileName = CommitFile.name
    /// The bytes of the file in a new store.
    package static let newFile = CommitFile.contentOfNew

    /// The state of a store; nil for one without a commit log. Takes no lock: a process that writes may change it meanwhile. Cost:
    /// reads the records.
    ///
    /// - Throws: `damaged` when no slot can be read, or a record in the middle of the log.
    package init?(ofStore path: String) throws(KeyValueError) {
        guard let file = try CommitFile(inStore: path, isReadOnly: true) else { return nil }
        var seen: (slot: CommitSlot, records: Int, later: UInt64?)?
        for attempt in 1... {
            let slot = try file.settledSlots().checkedCurrent(ofStore: path)
            let log = slot.mode == .direct ? CommitFile.Log() : try file.log(of: slot)
            // Begun anew meanwhile: these may be records of both.
            guard try file.slots().current == slot || attempt >= Self.attempts else { continue }
            if log.laterTransaction == nil || attempt >= Self.attempts {
                self.init(slot, log.records)
                return
            }
            // A record that is being written while the one behind it is looked for is no damage: it is there the next time.
            if let seen, seen == (slot, log.records.count, log.laterTransaction) { try log.check(slot, ofStore: path) }
            seen = (slot, log.records.count, log.laterTransaction)
        }
        return nil
    }

    private static let attempts = 16

    private init(_ slot: CommitSlot, _ records: [CommitRecord]) {
        mode = Mode(slot.mode)
        checkpoint = slot.mode == .direct ? nil : slot.checkpoint
        recordCount = records.count
        logBytes = records.reduce(0) { $0 + CommitFile.space(for: $1.byteCount) }
    }

    /// The mode that the bytes of the file state; nil when no slot can be read.
    package static func mode(in bytes: [UInt8]) -> Mode? {
        unsafe CommitSlots(decoding: bytes.span.bytes).current.map { Mode($0.mode) }
    }
}

extension CommitLogState.Mode {
    fileprivate init(_ mode: CommitSlot.Mode) {
        switch mode {
        case .direct: self = .direct
        case .logged: self = .logged
        case .stopped: self = .stopped
        }
    }
}
