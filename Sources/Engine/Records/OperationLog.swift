import CivilTime
import Logging

/// What operations leave in the logs of an application: their names, durations and codes of errors, never what a person wrote
/// (S-43). An application takes part with the handler that it gives swift-log, by these labels:
///
/// - `daybook.tasks`, `daybook.journals`: each operation, and the code of its error (debug);
/// - `daybook.performance`: how long each took (debug);
/// - `daybook.persistence`: a store that was repaired (warning), a write that failed (error).
package struct OperationLog: Sendable {
    private let operations: Logger
    private let durations: Logger

    /// - Parameter domain: what the operations are about, such as "tasks".
    package init(of domain: String) {
        operations = Logger(label: "daybook.\(domain)")
        durations = Logger(label: "daybook.performance")
    }

    /// Logs an operation that has ended.
    package func note(
        _ name: @autoclosure () -> String, since start: MonotonicTime, on clock: any TimeSource, error: String? = nil
    ) {
        if let error {
            operations.debug("\(name())", metadata: ["error": "\(error)"])
        } else {
            operations.debug("\(name())")
        }
        durations.debug("\(name())", metadata: ["microseconds": "\(clock.monotonic.microseconds(since: start))"])
    }
}
