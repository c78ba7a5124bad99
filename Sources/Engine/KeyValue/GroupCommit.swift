import CLMDB

#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

/// How a group of closures becomes durable (decision D12): today by LMDB's own commit, which flushes the pages and then
/// the meta page. Nothing above this file knows that.
struct GroupCommit {
    let environment: EnvironmentHandle

    enum Outcome {
        /// Every closure of the group is on the disk.
        case durable
        /// Nothing of the group is in the store; writing may go on.
        case refused(KeyValueError)
        /// The disk failed during a flush. It is never tried again: the system has by then forgotten which pages were
        /// not written, and a second flush would succeed without having written them.
        case failed(KeyValueError)
    }

    func commit(_ state: TransactionState) -> Outcome {
        let code = environment.commit(state)
        switch code {
        case MDB_SUCCESS:
            return .durable
        case MDB_MAP_FULL:
            return .refused(.mapFull)
        case ENOSPC, EDQUOT, EFBIG:
            return refusal(code, as: .diskFull)
        case EIO where environment.isDiskFull:
            // LMDB reports a short write as EIO, even if the disk is just full.
            return refusal(code, as: .diskFull)
        case _ where KeyValueError.isPassing(code):
            return refusal(code, as: .busy(operation: "commit", code: code))
        default:
            return .failed(environment.isPanicked ? .commitUnknown(code: code) : .commitFailed(code: code))
        }
    }

    /// The disk is full, or the system short of something for a moment: before the pages were written, while they were,
    /// or in their flush. They are referred to by no meta page, so the state before stands as it was, and writing goes on.
    ///
    /// The same closures may run again in a new transaction. That is no second try of a failed flush: LMDB has dropped
    /// the pages, the new transaction writes its own, all of them, and flushes those; what the system has forgotten of
    /// the old ones is read by nobody. Once the meta page has been touched, nothing of this holds.
    private func refusal(_ code: Int32, as error: KeyValueError) -> Outcome {
        environment.isPanicked ? .failed(.commitUnknown(code: code)) : .refused(error)
    }
}
