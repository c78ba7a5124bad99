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
            return refusal(code)
        case EIO where environment.isDiskFull:
            // LMDB reports a short write as EIO, even if the disk is just full.
            return refusal(code)
        default:
            return .failed(environment.isPanicked ? .commitUnknown(code: code) : .commitFailed(code: code))
        }
    }

    /// The disk is full. The pages of this group are referred to by no meta page, so the state before it stands as it
    /// was, and the next group writes its own pages: with space back, work goes on.
    private func refusal(_ code: Int32) -> Outcome {
        environment.isPanicked ? .failed(.commitUnknown(code: code)) : .refused(.diskFull)
    }
}
