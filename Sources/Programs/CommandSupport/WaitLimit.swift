import ArgumentParser
import Daybook
import Threading

/// A value of `--wait`: for every command how long it waits for another process, in seconds such as `0`, `5` or `0.5`; for commands
/// that say what a task is like, also the day until which it is hidden. No day is a number.
package enum WaitOption: ExpressibleByArgument {
    case limit(Duration)
    case words(String)

    package init(argument: String) {
        self = Self.seconds(argument).map { .limit($0) } ?? .words(argument)
    }

    /// Nil for what is no number of seconds, is negative, or is longer than thirty years.
    private static func seconds(_ argument: String) -> Duration? {
        guard let first = argument.utf8.first, first == UInt8(ascii: ".") || (0x30...0x39).contains(first),
            argument.utf8.allSatisfy({ $0 == UInt8(ascii: ".") || (0x30...0x39).contains($0) }),
            let seconds = Double(argument), seconds <= 1e9
        else { return nil }
        return .microseconds(Int64((seconds * 1e6).rounded()))
    }
}

extension LockWait {
    /// Reports to standard error for whom a command waits: once, since a command can have many transactions.
    static func reporting(limit: Duration?) -> LockWait {
        let hasReported = ForkSafeMutex(false)
        return LockWait(limit: limit) { holder in
            let isFirst = hasReported.withLock { hasReported in
                defer { hasReported = true }
                return !hasReported
            }
            if isFirst { Output.report(holder.waitDescription) }
        }
    }
}

extension LockHolder {
    fileprivate var waitDescription: String {
        let process = processDescription
        if isStopped, let number = self.process {
            return "Waiting for \(process), which was stopped while \(activity.participle) the store. "
                + "Continue it (kill -CONT \(number)) or end it; --wait SECONDS limits the wait."
        }
        return "Waiting for \(process), which is \(activity.participle) the store. --wait SECONDS limits the wait."
    }
}
