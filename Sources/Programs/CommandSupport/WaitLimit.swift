import ArgumentParser
import Daybook
import Threading

/// How long a command waits for another process: seconds, such as `0`, `5` or `0.5`.
package struct WaitLimit: ExpressibleByArgument {
    package let duration: Duration

    /// Nil for what is no number of seconds, is negative, or is longer than thirty years.
    package init?(argument: String) {
        guard let first = argument.utf8.first, first == UInt8(ascii: ".") || (0x30...0x39).contains(first),
            argument.utf8.allSatisfy({ $0 == UInt8(ascii: ".") || (0x30...0x39).contains($0) }),
            let seconds = Double(argument), seconds <= 1e9
        else { return nil }
        duration = .microseconds(Int64((seconds * 1e6).rounded()))
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
