import Daybook
import FoundationEssentials
import Glibc
import Logging

/// Writes each event as one line of JSON.
public struct StructuredLog: LogHandler {
    /// Shown with every event.
    public var metadata = Logger.Metadata()
    /// Adds values of the task that logs.
    public var metadataProvider: Logger.MetadataProvider?
    /// What is left out below.
    public var logLevel: Logger.Level
    private let clock: any TimeSource
    private let write: @Sendable (String) -> Void

    /// A log.
    ///
    /// - Parameter write: Takes a line; by default it goes to stderr.
    public init(
        level: Logger.Level = .notice, clock: any TimeSource,
        write: @escaping @Sendable (String) -> Void = StructuredLog.toStandardError
    ) {
        logLevel = level
        self.clock = clock
        self.write = write
    }

    /// Writes a line to stderr with one system call, so that lines do not mix.
    public static let toStandardError: @Sendable (String) -> Void = { line in
        var rest = Array((line + "\n").utf8)[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { Glibc.write(STDERR_FILENO, $0.baseAddress, $0.count) }
            guard count > 0 else { return }
            rest = rest.dropFirst(count)
        }
    }

    /// A value that is shown with every event.
    public subscript(metadataKey key: String) -> Logger.Metadata.Value? {
        get { metadata[key] }
        set { metadata[key] = newValue }
    }

    /// Writes an event.
    public func log(event: LogEvent) {
        var fields = [
            "time": "\(clock.wall)", "level": event.level.rawValue, "message": "\(event.message)",
        ]
        for (key, value) in metadata.merging(event.metadata ?? [:], uniquingKeysWith: { $1 }) {
            fields[key] = "\(value)"
        }
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        guard let line = try? encoder.encode(fields) else { return }
        write(String(decoding: line, as: UTF8.self))
    }
}
