import Injection
import KeyValue
import Threading

/// The writes that a fault injection point moves to a second transaction, after the first has been committed.
final class PostponedWrites: Sendable {
    typealias Step = @Sendable (borrowing RawWriteTransaction) throws -> Void

    private let injectionPoint: ArmedInjectionPoints
    private let steps = ForkSafeMutex<[Step]>([])

    /// Nil for a store that keeps its promises.
    init?(_ injectionPoint: ArmedInjectionPoints) {
        guard injectionPoint(.indexOutsideTransaction) || injectionPoint(.rollUpInSecondTransaction) else {
            return nil
        }
        self.injectionPoint = injectionPoint
    }

    func takes(_ point: InjectionPoint) -> Bool { injectionPoint(point) }

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
