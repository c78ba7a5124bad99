import CLMDB

extension Environment {
    /// Runs a closure on the calling thread and returns when what it wrote is durable: for programs that do not use
    /// concurrency. It shares no commit, but pays no change of thread either. It waits for writers before it.
    ///
    /// What holds for the closure of the asynchronous `write` holds here: a throw leaves nothing behind, and it may run
    /// again when the map had to grow.
    ///
    /// - Throws: `nestedWrite` inside another transaction of this thread, which it would wait for without end.
    public func write<Result>(
        reclaims: Bool = false, _ body: (consuming RawWriteTransaction) throws -> Result
    ) throws -> Result {
        guard !configuration.isReadOnly else { throw KeyValueError.readOnly }
        guard !MapGate.isNested else { throw KeyValueError.nestedWrite }
        if reclaims { handle.setReserve(open: true) }
        defer {
            if reclaims { handle.setReserve(open: false) }
        }
        while true {
            if writer.isBroken { throw KeyValueError.writingStopped }
            do {
                let result = try attempt(body)
                observers.committed()
                handle.growAheadOfNeed()
                return result
            } catch let error as KeyValueError where error == .mapFull {
                guard handle.makeRoomAfterOverflow() else { throw error }
            }
        }
    }

    private func attempt<Result>(_ body: (consuming RawWriteTransaction) throws -> Result) throws -> Result {
        let state = try handle.beginWrite()
        do {
            let result = try body(RawWriteTransaction(state))
            // A closure that swallowed the error of a write must not commit the rest.
            if let failure = state.failure { throw failure }
            switch GroupCommit(environment: handle).commit(state) {
            case .durable:
                return result
            case .refused(let error):
                throw error
            case .failed(let error):
                writer.markBroken()
                throw error
            }
        } catch {
            handle.abort(state)
            throw state.failure ?? error
        }
    }
}
