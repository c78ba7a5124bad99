import CLMDB
import FileSystem

/// What a write transaction is to the commit log.
enum WriteKind {
    /// Not a list of puts and deletes, or one that ends logged mode: LMDB commits it by itself.
    case direct
    /// A record of the log, if this process is in logged mode or enters it.
    case record
    /// Nothing but the end of this process's part in logged mode; what another process has entered stays.
    case leaving
}

extension Environment {
    /// How the store commits now, whoever has it open. Cost: reads the commit log.
    ///
    /// - Throws: `damaged` when slots or records are.
    package func commitLogState() throws(KeyValueError) -> CommitLogState? { try CommitLogState(ofStore: path) }

    /// What is wrong with slots and records of the commit log; nil when nothing is.
    package func commitLogProblem() throws(KeyValueError) -> String? {
        do throws(KeyValueError) {
            _ = try commitLogState()
            return nil
        } catch {
            guard case .damaged(_, let detail) = error else { throw error }
            return "\(CommitLogState.fileName): \(detail)"
        }
    }
}

/// Committing through the commit log.
extension EnvironmentHandle {
    /// Looks at the mode of the store; returns whether the transaction is to be a record.
    func begin(
        _ kind: WriteKind, in transaction: OpaquePointer, of environment: OpaquePointer
    ) throws(KeyValueError) -> Bool {
        guard let commitLog else { return false }
        return try commitLog.begin(kind, at: unsafe place(of: transaction, in: environment))
    }

    private func place(of transaction: OpaquePointer, in environment: OpaquePointer) -> CommitLog.Place {
        var information = unsafe MDB_envinfo()
        unsafe mdb_env_info(environment, &information)
        return unsafe CommitLog.Place(
            environment: environment, pageSize: pageSize, newest: UInt64(mdb_txn_id(transaction)) - 1,
            pageCount: Int(information.me_last_pgno) + 1)
    }

    /// Lets the system begin to write the pages of the last logged commits. No rule depends on it: after a crash any of them may be on
    /// the disk.
    func startWriteback() {
        guard let commitLog, commitLog.takesWriteback() else { return }
        gate.enter()
        defer { gate.leave() }
        if unsafe environment != nil { openDataFile.startWriteback() }
    }

    /// Makes a transaction durable before LMDB commits it, if it is one of logged mode.
    ///
    /// - Returns: whether it is in the log now.
    func appendRecord(of state: TransactionState) throws(KeyValueError) -> Bool {
        guard let record = state.record, let commitLog, let environment = unsafe environment else { return false }
        if record.isEmpty, record.holdsAll { return false }
        let transaction = try unsafe state.liveHandle(lease: state.lease)
        return try commitLog.append(record, at: unsafe place(of: transaction, in: environment))
    }

    /// Leaves logged mode after LMDB has refused a transaction whose record is in the log: then it is not part of the store, however
    /// the process ends.
    func discardRecord() throws(KeyValueError) {
        // However long that takes: until then it is unknown whether the transaction is in the store.
        abort(try beginWrite(.leaving, waiting: configuration.lockWait.withoutLimit))
        commitLog?.hasLeft()
    }

    /// Leaves logged mode, if this process has entered it, and gives up what it keeps for it. Nothing else of this thread may be
    /// under way.
    ///
    /// - Parameter isClosing: whether the store is about to be closed, which gives up everything as well. Then LMDB's lock, for which
    ///   another process may let this one wait, is not taken for anything else.
    /// - Throws: when the flush has failed, so that writing stops.
    func leaveLog(isClosing: Bool = false) throws(KeyValueError) {
        guard let commitLog, commitLog.isOwner, !isClosing || commitLog.isStillOwner else { return }
        abort(try beginWrite(.leaving))
    }

    /// Leaves logged mode after a transaction that did not fit, if that has not been done: the pages that its checkpoint has kept can
    /// be used then. Returns whether there is more room now.
    func leaveLogForRoom() -> Bool {
        guard let commitLog else { return false }
        if commitLog.takesDirect { return true }
        guard commitLog.isOwner, (try? leaveLog()) != nil else { return false }
        commitLog.hasLeft()
        return true
    }
}
