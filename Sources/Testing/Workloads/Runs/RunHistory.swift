import FoundationEssentials
import SystemErrors

#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

/// A file of recorded runs, one a line, the oldest first.
public struct RunHistory: Sendable, Equatable {
    /// All runs, of any machine.
    public private(set) var runs: [RunRecord] = []
    /// Whether the last line is incomplete, as after a crash while it was written. It is ignored.
    public private(set) var hasTornLine = false
    /// The size of all complete lines.
    private var wholeSize = 0

    /// Creates a history of runs.
    public init(runs: [RunRecord] = []) {
        self.runs = runs
    }

    /// Reads a file. A missing file has no runs.
    public init(path: String) throws(RunHistoryError) {
        let isMissing = access(path, F_OK) != 0 && errno == ENOENT
        try self.init(bytes: isMissing ? [] : HistoryFile(path).contents(), path: path)
    }

    /// Parses the bytes of a file.
    init(bytes: [UInt8], path: String) throws(RunHistoryError) {
        var start = 0
        var number = 0
        while start < bytes.count {
            number += 1
            let end = bytes[start...].firstIndex(of: UInt8(ascii: "\n"))
            let line = bytes[start..<(end ?? bytes.count)]
            do throws(RunHistoryError) {
                if !line.isEmpty { runs.append(try Self.run(line, path: path, number: number)) }
            } catch {
                // Only a line without an end can be incomplete.
                guard end == nil, case .malformed = error else { throw error }
                hasTornLine = true
                return
            }
            start = end.map { $0 + 1 } ?? bytes.count
            wholeSize = start
        }
    }

    /// Appends a run to a file, creating it if necessary. An incomplete last line is removed first.
    public static func append(_ run: RunRecord, to path: String) throws(RunHistoryError) {
        let file = try HistoryFile(path)
        let bytes = try file.contents()
        let history = try RunHistory(bytes: bytes, path: path)
        if history.hasTornLine { try file.cut(to: history.wholeSize) }
        let lacksEnd = !history.hasTornLine && !bytes.isEmpty && bytes.last != UInt8(ascii: "\n")
        try file.append((lacksEnd ? [UInt8(ascii: "\n")] : []) + line(of: run, path: path) + [UInt8(ascii: "\n")])
    }

    /// Returns the runs that are comparable to one: on the same machine, in a store of the same size.
    public func series(of run: RunRecord) -> [RunRecord] { runs.filter(run.isSameSeries) }

    /// Compares each operation of a run with the last runs of its series; empty if there are none.
    public func comparisons(of run: RunRecord, withLast count: Int = 5) -> [RunComparison] {
        let series = series(of: run)
        return run.operations.compactMap { times in
            // A run may have measured only some operations.
            let medians = series.compactMap { $0.times(of: times.operation)?.median }.suffix(count)
            guard let low = medians.min(), let high = medians.max() else { return nil }
            return RunComparison(
                operation: times.operation, median: times.median, low: low, high: high, runs: medians.count)
        }
    }

    private static func line(of run: RunRecord, path: String) throws(RunHistoryError) -> [UInt8] {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        do {
            return Array(try encoder.encode(run))
        } catch {
            // Numbers and texts can always be encoded.
            throw .system(path: path, code: EINVAL)
        }
    }

    private static func run(_ line: ArraySlice<UInt8>, path: String, number: Int) throws(RunHistoryError) -> RunRecord {
        struct Head: Decodable {
            let version: Int
        }
        let data = Data(line)
        guard let head = try? JSONDecoder().decode(Head.self, from: data) else {
            throw .malformed(path: path, line: number)
        }
        guard head.version <= RunRecord.currentVersion else {
            throw .newer(path: path, line: number, version: head.version)
        }
        guard let run = try? JSONDecoder().decode(RunRecord.self, from: data) else {
            throw .malformed(path: path, line: number)
        }
        return run
    }
}

/// Why a history of runs could not be read or written.
public enum RunHistoryError: Error, Equatable, Sendable, CustomStringConvertible {
    /// A line, other than an incomplete last one, is not a run.
    case malformed(path: String, line: Int)
    /// A line was written by a newer version.
    case newer(path: String, line: Int, version: Int)
    /// A system call failed with an error code.
    case system(path: String, code: Int32)

    /// What happened and what to do, in one line.
    public var description: String {
        switch self {
        case .malformed(let path, let line):
            "Line \(line) of \(path) is not a run of 'daybook bench'. Remove the line, or name another file."
        case .newer(let path, let line, let version):
            "Line \(line) of \(path) has version \(version), which is newer than this program. Update Daybook."
        case .system(let path, let code):
            "The history \(path) could not be used: \(SystemCondition(code)). Name another file."
        }
    }
}

/// A file that is appended to in whole lines, open and locked against other processes.
struct HistoryFile: ~Copyable {
    private let path: String
    private let descriptor: Int32

    /// Opens a file, creating it if necessary, and waits for the lock.
    init(_ path: String) throws(RunHistoryError) {
        self.path = path
        descriptor = open(path, O_RDWR | O_CREAT | O_APPEND | O_CLOEXEC, 0o644)
        guard descriptor >= 0 else { throw .system(path: path, code: errno) }
        while flock(descriptor, LOCK_EX) != 0 {
            if errno != EINTR { throw .system(path: path, code: errno) }
        }
    }

    deinit {
        if descriptor >= 0 { close(descriptor) }
    }

    /// Returns the content.
    func contents() throws(RunHistoryError) -> [UInt8] {
        var all: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 1 << 16)
        while true {
            let count = pread(descriptor, &buffer, buffer.count, off_t(all.count))
            if count < 0, errno == EINTR { continue }
            guard count >= 0 else { throw .system(path: path, code: errno) }
            if count == 0 { return all }
            all += buffer[..<count]
        }
    }

    /// Truncates the file.
    func cut(to size: Int) throws(RunHistoryError) {
        guard ftruncate(descriptor, off_t(size)) == 0 else { throw .system(path: path, code: errno) }
    }

    /// Appends bytes in one call and flushes them.
    func append(_ bytes: [UInt8]) throws(RunHistoryError) {
        guard write(descriptor, bytes, bytes.count) == bytes.count, fsync(descriptor) == 0 else {
            throw .system(path: path, code: errno)
        }
    }
}
