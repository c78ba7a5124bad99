import Daybook

/// Why a history could not be written to a store.
public enum HistoryError: Error, Equatable, Sendable, CustomStringConvertible {
    /// The store already contains tasks.
    case notEmpty(taskCount: Int)

    /// What happened and what to do, in one line.
    public var description: String {
        switch self {
        case .notEmpty(let count):
            "The store holds \(count) tasks already, and a history is only put into an empty one. Name another folder."
        }
    }
}

extension DaybookStore {
    /// Fills the store with a history that ends now, a thousand tasks a transaction.
    ///
    /// - Parameter progress: called after each transaction with the number of tasks written.
    /// - Throws: `HistoryError.notEmpty`; the store is unchanged then.
    @discardableResult
    public func generate(
        taskCount: Int, seed: UInt64, progress: (Int) throws -> Void = { _ in }
    ) async throws -> Int {
        let information = try information()
        let present = try tasks.read { try $0.count() }
        // A store that was ever written to has a change log, and would differ from another one with the same seed.
        guard present == 0, information.lastSequence == 0 else { throw HistoryError.notEmpty(taskCount: present) }
        let history = History(taskCount: taskCount, seed: seed, endingAt: context.clock.wall, in: context.zone)
        var iterator = history.makeIterator()
        var written = 0
        var first: UInt64?
        while true {
            var batch: [ImportedTask] = []
            batch.reserveCapacity(Self.historyBatch)
            while batch.count < Self.historyBatch, let task = iterator.next() { batch.append(task) }
            guard !batch.isEmpty else { return written }
            let (count, sequence) = try await tasks.merge(batch, [], continuing: first)
            if first == nil, sequence != 0 { first = sequence }
            written += count
            try progress(written)
        }
    }

    private static let historyBatch = 1000
}
