import FileSystem
import Injection
import Threading

/// Admits one writer at a time, of all processes and threads, before LMDB's own lock: so that waiting can have a limit, name whom
/// it waits for, and be fair (decision 0053).
///
/// LMDB's mutex stays below it. Programs without this lock take the mutex only, so nothing that is promised about the content
/// of a store depends on this lock.
///
/// It is two bytes of the data file, far behind its end: W for the writer, and Q for the first process that waits. Who finds
/// Q taken does not try W, so that a process that writes in a loop cannot overtake one that waits. The threads of this process
/// come before that, in the order of their arrival.
final class WriterLock: @unchecked Sendable {  // all state is guarded by the monitor, or by having the turn
    private let path: String
    private let injectionPoint: ArmedInjectionPoints
    private let monitor = Monitor()
    /// The data file that is open; nil where no other process writes to it, or the system has no such locks.
    private var file: RangeLockFile?
    /// The data file whose byte W this process has locked. Only for the thread that has the turn.
    private var locked: RangeLockFile?
    private var isTaken = false
    /// The threads that wait for this process's turn, in their order.
    private var queue: [Int] = []
    private var lastTicket = 0
    private let generation = ForkGuard.generation

    static let writer: Int64 = 1 << 62
    static let firstInQueue = writer + 1
    /// How long Q is respected, in microseconds: a process that was stopped while it waits must not keep all others from writing.
    private static let patience: Int64 = 50_000

    init(store path: String, injectionPoint: ArmedInjectionPoints) {
        self.path = path
        self.injectionPoint = injectionPoint
    }

    /// Uses the data file that is at a path now. Only while no transaction of this process is live; a thread may wait.
    func follow(_ dataFile: String) throws(KeyValueError) {
        let opened = try RangeLockFile.open(dataFile, .exclusive, ofStore: path)
        monitor.withLock { file = opened }
    }

    /// Uses no data file any more.
    func forget() {
        monitor.withLock { file = nil }
    }

    /// Waits until no other thread or process writes.
    ///
    /// - Throws: `lockHeld` when the wait takes too long.
    func acquire(_ wait: LockWait) throws(KeyValueError) {
        var pending = PendingWait(wait, path: path)
        guard let file = try takeTurn(&pending) else { return }
        do throws(KeyValueError) {
            try lock(file, &pending)
        } catch {
            letGo()
            throw error
        }
        locked = file
        unsafe Self.currentLock.pointer = Unmanaged.passUnretained(self).toOpaque()
    }

    /// On the thread that has acquired it.
    func release() {
        unsafe Self.currentLock.pointer = nil
        letGo()
    }

    private func letGo() {
        locked?.unlock(from: Self.writer)
        locked = nil
        monitor.withLock {
            isTaken = false
            if !queue.isEmpty { monitor.wakeAll() }
        }
    }

    /// The lock that a thread holds. A thread that ends inside its transaction leaves LMDB's mutex to others; this lock as well.
    private static let currentLock = unsafe ThreadSlot { pointer in
        guard let pointer = unsafe pointer else { return }
        let lock = unsafe Unmanaged<WriterLock>.fromOpaque(pointer).takeUnretainedValue()
        // In the child of a fork it is the parent's.
        if lock.generation == ForkGuard.generation { lock.letGo() }
    }

    /// How many threads of this process wait; tests synchronize with it.
    var queueLength: Int { monitor.withLock { queue.count } }

    /// Whether the writer has locked the data file that is open: it may have been replaced during the wait. Only inside a
    /// transaction, while `follow` is not called, and for the thread that has the turn.
    var isUpToDate: Bool { locked === file }

    // MARK: Other threads

    /// Waits for the turn of this thread; returns the data file whose lock it has to take.
    private func takeTurn(_ pending: inout PendingWait) throws(KeyValueError) -> RangeLockFile? {
        let (ticket, file): (Int?, RangeLockFile?) = monitor.withLock {
            if !isTaken, queue.isEmpty {
                isTaken = true
                return (nil, self.file)
            }
            lastTicket += 1
            queue.append(lastTicket)
            return (lastTicket, nil)
        }
        guard let ticket else { return file }
        while !monitor.withLock({ take(ticket) }) {
            do throws(KeyValueError) {
                // One that is woken has not waited for long, and the one before it has got its turn.
                try pending.pause { microseconds in
                    monitor.withLock {
                        !canTake(ticket) && !monitor.wait(milliseconds: Int(max(1, microseconds / 1_000)))
                    }
                } for: {
                    holder
                }
            } catch {
                monitor.withLock {
                    queue.removeAll { $0 == ticket }
                    monitor.wakeAll()
                }
                throw error
            }
        }
        return monitor.withLock { self.file }
    }

    private func canTake(_ ticket: Int) -> Bool { !isTaken && queue.first == ticket }

    private func take(_ ticket: Int) -> Bool {
        guard canTake(ticket) else { return false }
        queue.removeFirst()
        isTaken = true
        return true
    }

    // MARK: Other processes

    private func lock(_ file: RangeLockFile, _ pending: inout PendingWait) throws(KeyValueError) {
        var isFirst = injectionPoint(.skipsWriterQueue)
        let isAwaited =
            isFirst ? false : try systemCall("lock the store", file.isLockedElsewhere(from: Self.firstInQueue))
        if !isAwaited, try mayWrite(to: file) { return }
        defer {
            if isFirst { file.unlock(from: Self.firstInQueue) }
        }
        let start = pending.waited
        while !isFirst {
            isFirst =
                try systemCall("lock the store", file.tryLock(.exclusive, from: Self.firstInQueue)) != .heldElsewhere
            if isFirst { break }
            if pending.waited - start > Self.patience, try mayWrite(to: file) { return }
            try pending.pause { holder }
        }
        pending.shortenPauses()
        while try !mayWrite(to: file) { try pending.pause { holder } }
    }

    /// Where there are no such locks, LMDB's mutex is all there is.
    private func mayWrite(to file: RangeLockFile) throws(KeyValueError) -> Bool {
        try systemCall("lock the store", file.tryLock(.exclusive, from: Self.writer)) != .heldElsewhere
    }

    /// Whom this process waits for.
    private var holder: LockHolder {
        guard let file = monitor.withLock({ self.file })?.identity else { return LockHolder(.writing) }
        return LockHolder.find(.writing, ofKind: "OFDLCK", from: Self.writer, in: file)
    }
}
