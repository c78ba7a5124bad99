import KeyValue
import Threading

/// What a sabotaged store leaves to a second transaction, which comes after the first has been committed.
final class PostponedWrites: Sendable {
    typealias Step = @Sendable (borrowing RawWriteTransaction) throws -> Void

    private let sabotage: Sabotage
    private let steps = ForkSafeMutex<[Step]>([])

    /// Nil for a store that keeps its promises.
    init?(_ sabotage: Sabotage?) {
        guard let sabotage, [.indexOutsideTransaction, .rollUpInSecondTransaction].contains(sabotage) else {
            return nil
        }
        self.sabotage = sabotage
    }

    func takes(_ sabotage: Sabotage) -> Bool { self.sabotage == sabotage }

    /// A closure may run again; only its last run counts.
    func begin() {
        steps.withLock { $0.removeAll() }
    }

    func add(_ step: @escaping Step) {
        steps.withLock { $0.append(step) }
    }

    /// Runs the second transaction, on the calling thread.
    func carryOut(in environment: Environment) throws {
        let steps = steps.withLock { $0 }
        guard !steps.isEmpty else { return }
        try environment.write { engine in
            for step in steps { try step(engine) }
        }
    }
}
