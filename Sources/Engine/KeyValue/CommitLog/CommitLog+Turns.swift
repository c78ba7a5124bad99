import CLMDB
import FileSystem
import SystemErrors

/// Turning: the only way to change the mode. Always under LMDB's lock for writers, inside a write transaction that LMDB has not
/// committed yet.
extension CommitLog {
    /// Ends logged mode, whoever has entered it: from now on LMDB commits by itself.
    func leave(_ current: CommitSlot, at place: Place) throws(KeyValueError) {
        try flushData(current, at: place)
        try put(CommitSlot(number: current.number + 1, mode: .direct, logLength: current.logLength))
        unsafe drop(in: place.environment)
        // The pin of an owner that was killed would keep pages from being used again, for as long as anybody has the store open.
        if current.owner != token { unsafe mdb_reader_check(place.environment, nil) }
    }

    /// Removes the records from the file: they would outlive what was purged. The store is in direct mode.
    func empty() throws(KeyValueError) {
        let current = try settled()
        // A log that no slot speaks of is never read, whatever a crash leaves of it.
        if current.logLength > 0 { try put(CommitSlot(number: current.number + 1, mode: .direct)) }
        try file.removeRecords()
    }

    /// Enters logged mode, or begins the log anew with a later checkpoint.
    ///
    /// - Returns: whether the store is in logged mode now. It stays direct, or becomes so, when there is no reader slot for the
    ///   pin or no space for the log.
    func checkpoint(_ current: CommitSlot, at place: Place) throws(KeyValueError) -> Bool {
        guard let pin = CheckpointPin(at: place) else { return try stayDirect(current, at: place) }
        guard let logLength = preparedLength(of: current) else {
            pin.end()
            return try stayDirect(current, at: place)
        }
        // Either slot may be the one on the disk if its flush fails, so both pins stay then.
        pins.append(pin)
        do throws(KeyValueError) {
            try flushData(current, at: place)
            var slot = CommitSlot(number: current.number + 1, mode: .logged, logLength: logLength)
            slot.checkpoint = place.newest
            slot.owner = token
            // The number of a slot comes once, so a record of another log is never taken for one of this.
            slot.seed = Self.mixed([use.draw(), token, slot.number, slot.checkpoint])
            slot.metaPages = try metaPages(at: place)
            try put(slot)
            ownership = Ownership(
                seed: slot.seed, checkpoint: slot.checkpoint, logLength: Int(logLength), pageCount: place.pageCount,
                chain: slot.seed, lastTransaction: place.newest)
            unsafe mdb_env_set_flags(place.environment, UInt32(MDB_NOSYNC), 1)
            endPins(butLast: injectionPoint(.logsWithoutPin) ? 0 : 1)
            return true
        } catch {
            if !stopsWriting { pins.removeLast().end() }
            throw error
        }
    }

    private func stayDirect(_ current: CommitSlot, at place: Place) throws(KeyValueError) -> Bool {
        if current.mode == .logged { try leave(current, at: place) }
        backOff()
        return false
    }

    /// The length of the log, which is filled and flushed if that has not been done; nil if there is no space for it. Then the data
    /// file gets back what was taken.
    private func preparedLength(of current: CommitSlot) -> UInt64? {
        if current.logLength >= UInt64(use.logLength) { return UInt64(use.logLength) }
        do throws(KeyValueError) {
            try file.fill(use.logLength)
            return UInt64(use.logLength)
        } catch {
            try? file.shorten(to: Int(current.logLength))
            return nil
        }
    }

    private func metaPages(at place: Place) throws(KeyValueError) -> CommitSlot.MetaPages {
        var descriptor = mdb_filehandle_t()
        guard unsafe mdb_env_get_fd(place.environment, &descriptor) == MDB_SUCCESS else { throw .closed }
        func beginning(of page: Int) throws(KeyValueError) -> [UInt8] {
            var bytes = [UInt8](repeating: 0, count: CommitSlot.MetaPages.byteCount)
            let count = try systemCall(
                "read the meta pages", FileDescriptor(descriptor).fill(&bytes, at: page * place.pageSize))
            guard count == bytes.count else {
                throw .system(operation: "read the meta pages", code: SystemCondition.inputOutput.code)
            }
            return bytes
        }
        return CommitSlot.MetaPages(even: try beginning(of: 0), odd: try beginning(of: 1))
    }

    /// Makes the last committed transaction durable, whichever process committed it.
    ///
    /// The kernel forgets which pages it could not write, and reports the error once, to one descriptor. No process may flush again: all stop
    /// writing, and the next one that has the store alone returns to the checkpoint and its log, which are whole.
    private func flushData(_ current: CommitSlot, at place: Place) throws(KeyValueError) {
        if injectionPoint(.turnsWithoutFlush) { return }
        let code = unsafe mdb_env_sync(place.environment, 1)
        guard code != MDB_SUCCESS else { return }
        stopsWriting = true
        if current.mode == .logged {
            var stopped = current
            stopped.number += 1
            stopped.mode = .stopped
            // Without a flush: it matters only while the page cache lives.
            try? file.putUnflushed(stopped)
        }
        throw .commitFailed(code: code)
    }

    func put(_ slot: CommitSlot) throws(KeyValueError) {
        do throws(KeyValueError) {
            try file.put(slot)
        } catch {
            // A slot that could not be written is none, or is found as an unconfirmed one by the next write.
            if case .commitFailed = error { stopsWriting = true }
            throw error
        }
    }

    /// Gives up what this process has of logged mode.
    func drop(in environment: OpaquePointer) {
        ownership = nil
        commitsInRow = 0
        unsafe mdb_env_set_flags(environment, UInt32(MDB_NOSYNC), 0)
        endPins()
    }

    func endPins(butLast kept: Int = 0) {
        for pin in pins.dropLast(kept) { pin.end() }
        pins.removeFirst(max(0, pins.count - kept))
    }
}
