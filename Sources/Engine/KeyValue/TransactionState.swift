import CLMDB

/// What the transaction structures share: the LMDB handle, the counters, and the checks that make late use an error.
@usableFromInline
@safe final class TransactionState {
    let environment: EnvironmentHandle
    @usableFromInline let isWrite: Bool
    @usableFromInline let pageSize: Int
    /// Nil once the transaction has ended.
    private(set) var handle: OpaquePointer?
    var counters = OperationCounters()
    /// How many spans of the map are lent to closures; a write could move the bytes under them.
    var lentSpans = 0
    /// Counts writes, so that a cursor knows when what it remembers may have moved.
    var generation = 0
    /// Set while a closure must be undone on its own, since neighbours before it in the group succeeded.
    var inverseWrites: InverseWrites?
    /// The first error after which LMDB refuses to commit this transaction.
    var failure: KeyValueError?
    /// Identifies the closure that may use the transaction: a lease that outlived its closure has an older number.
    var lease = 0

    init(environment: EnvironmentHandle, handle: OpaquePointer, isWrite: Bool) {
        self.environment = environment
        unsafe self.handle = handle
        self.isWrite = isWrite
        pageSize = environment.pageSize
    }

    func liveHandle(lease: Int) throws(KeyValueError) -> OpaquePointer {
        guard let handle = unsafe handle, lease == self.lease else { throw .transactionEnded }
        return unsafe handle
    }

    /// Hands the LMDB handle over to whoever ends the transaction.
    func takeHandle() -> OpaquePointer? {
        defer { unsafe handle = nil }
        lease += 1
        return unsafe handle
    }

    /// Bytes of the map are about to be lent to a closure. Two calls instead of an open counter, so that the compiler
    /// still sees every access of it and can leave out its run-time checks.
    @usableFromInline
    func beginLending() {
        lentSpans += 1
    }

    @usableFromInline
    func endLending() {
        lentSpans -= 1
    }
}
