import Threading

/// The one thread that writes.
///
/// Closures that queue up while a commit is under way share the next one (group commit), and each caller is resumed
/// when the commit that holds its closure is durable. The thread starts with the first write and sleeps without a
/// time-out when there is nothing to do.
final class Writer: @unchecked Sendable {  // all state is guarded by the monitor
    private let environment: EnvironmentHandle
    private let groupCommit: GroupCommit
    private let afterCommit: @Sendable () -> Void
    private let afterClose: @Sendable () -> Void
    private let monitor = Monitor()
    private var queue: [WriteJob] = []
    private var hasThread = false
    private var isStopping = false
    private var hasStopped = false
    private var writingHasStopped = false
    /// Whether the thread waits without a time-out.
    private var waitsForJobs = false

    /// Closures in one commit at most: bounds how long the first of them waits for the last.
    private static let groupLimit = 1024

    /// - Parameter afterClose: called when the environment is actually closed; perhaps more than once.
    init(
        environment: EnvironmentHandle, afterCommit: @escaping @Sendable () -> Void,
        afterClose: @escaping @Sendable () -> Void
    ) {
        self.environment = environment
        self.groupCommit = GroupCommit(environment: environment)
        self.afterCommit = afterCommit
        self.afterClose = afterClose
    }

    /// Jobs that are enqueued together share a commit, up to the size of a group.
    func enqueue(_ jobs: [WriteJob]) throws(KeyValueError) {
        // The child of a fork does not have this thread.
        try environment.checkProcess()
        try monitor.withLock { () throws(KeyValueError) in
            guard !isStopping else { throw .closed }
            guard !writingHasStopped else { throw .writingStopped }
            if !hasThread {
                try startThread()
                hasThread = true
            }
            queue += jobs
        }
        // Outside the lock, which the thread needs when it wakes.
        monitor.wakeAll()
    }

    /// Lets the thread leave logged mode when nothing is written any more: after a synchronous write that bypassed this thread.
    func watchLog() {
        monitor.withLock {
            guard !isStopping, !writingHasStopped, (try? environment.checkProcess()) != nil else { return }
            if hasThread {
                if waitsForJobs { monitor.wakeAll() }
                return
            }
            // Without a thread the store stays in logged mode until it is closed, which costs a recovery if it never is.
            hasThread = (try? startThread()) != nil
        }
    }

    /// Takes a job out of the queue; false when it has begun or is done.
    func cancel(_ job: WriteJob) -> Bool {
        monitor.withLock {
            guard let index = queue.firstIndex(where: { $0 === job }) else { return false }
            queue.remove(at: index)
            return true
        }
    }

    /// Whether a failed flush has stopped writing for good.
    var isBroken: Bool { monitor.withLock { writingHasStopped } }

    /// How many closures wait for the thread.
    var queueLength: Int { monitor.withLock { queue.count } }

    /// Stops writing for good, after a flush outside this thread has failed.
    func markBroken() {
        monitor.withLock { writingHasStopped = true }
    }

    /// Finishes the queued jobs, ends the thread and closes the environment. When called on the writer thread (a
    /// closure held the last reference to the store), it defers both to the thread's end.
    func stop() {
        let threadCloses = monitor.withLock {
            isStopping = true
            monitor.wakeAll()
            return hasThread
        }
        guard threadCloses else { return finish() }
        if unsafe Self.currentWriter.pointer == Unmanaged.passUnretained(self).toOpaque() { return }
        monitor.withLock {
            while !hasStopped { monitor.wait() }
        }
    }

    private func finish() {
        // If that fails, the next process that opens the store recovers it.
        try? environment.leaveLog(isClosing: true)
        environment.close()
        afterClose()
        monitor.withLock {
            hasStopped = true
            monitor.wakeAll()
        }
    }

    // MARK: The thread

    private static let currentWriter = unsafe ThreadSlot()

    private func startThread() throws(KeyValueError) {
        let retained = unsafe Unmanaged.passRetained(self)
        let code = startDetachedThread {
            let writer = unsafe retained.takeRetainedValue()
            unsafe Self.currentWriter.pointer = Unmanaged.passUnretained(writer).toOpaque()
            writer.runLoop()
        }
        guard code == 0 else {
            unsafe retained.release()
            throw .refused("start the writer thread", code: code)
        }
    }

    private func runLoop() {
        while let group = nextGroup() {
            if group.isEmpty { leaveLog() } else { run(group) }
        }
        finish()
    }

    private func leaveLog() {
        do throws(KeyValueError) {
            try environment.leaveLog()
        } catch {
            if error.stopsWriting { markBroken() }
        }
    }

    /// The jobs of the next commit; none when the thread should leave logged mode, nil when it should end.
    private func nextGroup() -> [WriteJob]? {
        monitor.withLock {
            while queue.isEmpty && !isStopping {
                guard let log = environment.commitLog, log.leavesWhenIdle else {
                    waitsForJobs = true
                    monitor.wait()
                    waitsForJobs = false
                    continue
                }
                // The one timed wait: a store that nobody writes to has left logged mode.
                let count = log.commitCount
                if !monitor.wait(milliseconds: log.idleMilliseconds), queue.isEmpty, log.commitCount == count {
                    return []
                }
            }
            guard let first = queue.first else { return nil }
            let count = first.reclaims ? 1 : queue.prefix(Self.groupLimit).prefix { !$0.reclaims }.count
            defer { queue.removeFirst(count) }
            return Array(queue.prefix(count))
        }
    }

    private func run(_ group: [WriteJob]) {
        let reclaims = group.first?.reclaims ?? false
        defer {
            if reclaims { environment.setReserve(open: false) }
        }
        while true {
            if reclaims { environment.setReserve(open: true) }
            var failed: [(job: WriteJob, error: any Error)] = []
            let outcome = apply(group, failed: &failed)
            if case .failure(.mapFull) = outcome {
                // Nothing of the group is in the store, so it can run again: all of it when there is more room now,
                // otherwise each closure alone, so that one that does not fit fails alone.
                if environment.makeRoomAfterOverflow() { continue }
                if group.count > 1 {
                    for job in group { run([job]) }
                    return
                }
            }
            return report(outcome, of: group, failed: failed)
        }
    }

    private func report(
        _ outcome: Result<[WriteJob], KeyValueError>, of group: [WriteJob], failed: [(job: WriteJob, error: any Error)]
    ) {
        switch outcome {
        case .success(let applied):
            // Observers first: when an awaited write returns, every observer has been notified.
            if !applied.isEmpty { afterCommit() }
            for job in applied { job.succeed() }
            for (job, error) in failed { job.fail(error) }
            environment.prepareNextWrite()
        case .failure(let error):
            // A closure that threw gets its own error; a second call for the same job has no effect.
            for (job, error) in failed { job.fail(error) }
            for job in group { job.fail(error) }
        }
    }

    /// Runs the closures of a group and commits. Returns those that are durable; a failure affects the entire group.
    private func apply(
        _ group: [WriteJob], failed: inout [(job: WriteJob, error: any Error)]
    ) -> Result<[WriteJob], KeyValueError> {
        if monitor.withLock({ writingHasStopped }) { return .failure(.writingStopped) }
        do {
            let kind = group.first?.reclaims == true ? WriteKind.direct : .record
            var state = try environment.beginWrite(kind)
            var applied: [WriteJob] = []
            for job in group {
                // The first closures of a group need no inverse writes: while nothing else is applied, the entire
                // transaction can be aborted.
                state.inverseWrites = applied.isEmpty ? nil : InverseWrites()
                state.counters = OperationCounters()
                var thrown: (any Error)?
                do {
                    try job.run(RawWriteTransaction(state))
                    applied.append(job)
                } catch {
                    thrown = error
                }
                state.lease += 1
                if let failure = state.failure {
                    environment.abort(state)
                    return .failure(failure)
                }
                guard let thrown else { continue }
                failed.append((job, thrown))
                if let inverseWrites = state.inverseWrites {
                    state.inverseWrites = nil
                    do {
                        try inverseWrites.undo(in: RawWriteTransaction(state))
                    } catch {
                        environment.abort(state)
                        return .failure(error)
                    }
                } else {
                    environment.abort(state)
                    state = try environment.beginWrite(kind)
                }
            }
            guard !applied.isEmpty else {
                environment.abort(state)
                return .success([])
            }
            switch groupCommit.commit(state) {
            case .durable:
                return .success(applied)
            case .refused(let error):
                return .failure(error)
            case .failed(let error):
                monitor.withLock { writingHasStopped = true }
                return .failure(error)
            }
        } catch {
            if error.stopsWriting { monitor.withLock { writingHasStopped = true } }
            return .failure(error)
        }
    }
}
