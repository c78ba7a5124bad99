import CLMDB
import SystemErrors

/// How a group of closures becomes durable (decision D12): by LMDB's own commit, which flushes the pages and then the meta page,
/// or as a record of the commit log, which LMDB's commit follows without a flush. Nothing above this file depends on that.
struct GroupCommit {
    let environment: EnvironmentHandle

    enum Outcome {
        /// Every closure of the group is on the disk.
        case durable
        /// Nothing of the group is in the store; writing may continue.
        case refused(KeyValueError)
        /// The disk failed during a flush. It is never retried: the system considers the pages clean, and a second
        /// flush would succeed without writing them.
        case failed(KeyValueError)
    }

    func commit(_ state: TransactionState) -> Outcome {
        let isLogged: Bool
        do throws(KeyValueError) {
            isLogged = try environment.appendRecord(of: state)
        } catch {
            environment.abort(state)
            return outcome(ofRefusedRecord: error)
        }
        let code = environment.commit(state)
        if isLogged, code != MDB_SUCCESS, !environment.injectionPoint(.ignoresLostRecords) {
            // LMDB has let go of its lock, so the record may only be taken back by the check of the next write.
            do throws(KeyValueError) {
                try environment.discardRecord()
            } catch {
                return .failed(.commitUnknown(code: code))
            }
        }
        switch code {
        case MDB_SUCCESS:
            return .durable
        case MDB_MAP_FULL:
            return .refused(.mapFull)
        case _ where SystemCondition(code).isStorageFull:
            return refusal(code, as: .diskFull)
        case SystemCondition.inputOutput.code where environment.isDiskFull:
            // LMDB reports a short write as EIO, even if the disk is just full.
            return refusal(code, as: .diskFull)
        case _ where SystemCondition(code).isTransient:
            return refusal(code, as: .busy(operation: "commit", code: code))
        default:
            return .failed(environment.isPanicked ? .commitUnknown(code: code) : .commitFailed(code: code))
        }
    }

    /// The store is in direct mode and without the record, unless the outcome is unknown.
    private func outcome(ofRefusedRecord error: KeyValueError) -> Outcome {
        switch error {
        case .storageFull, .busy: .refused(error)
        case .commitUnknown, .commitFailed, .writingStopped: .failed(error)
        case .system(_, let code): .failed(.commitFailed(code: code))
        default: .refused(error)
        }
    }

    /// The disk is full, or a system resource is temporarily unavailable: before the pages were written, while they
    /// were,
    /// or in their flush. No meta page refers to them, so the former state is intact, and writing continues.
    ///
    /// The same closures may run again in a new transaction. This does not retry a failed flush: LMDB has dropped the
    /// pages, the new transaction writes and flushes its own pages, and the lost ones are never read. Once the meta
    /// page has been touched, none of this holds.
    private func refusal(_ code: Int32, as error: KeyValueError) -> Outcome {
        environment.isPanicked ? .failed(.commitUnknown(code: code)) : .refused(error)
    }
}
