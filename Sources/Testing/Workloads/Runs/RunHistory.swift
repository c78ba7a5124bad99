import FoundationEssentials

#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

/// The runs that a file remembers, one a line, the oldest first.
public struct RunHistory: Sendable, Equatable {
    /// Every run, of whatever machine.
    public private(set) var runs: [RunRecord] = []
    /// Whether the last line was cut off, as by a machine that stopped while it was written. It is left out.
    public private(set) var hasTornLine = false
    /// Where the whole lines end.
    private var wholeSize = 0

    /// A history of runs.
    public init(runs: [RunRecord] = []) {
        self.runs = runs
    }

    /// Reads a file. One that is not there has no runs yet.
    public init(path: String) throws(RunHistoryError) {
        let isMissing = access(path, F_OK) != 0 && errno == ENOENT
        try self.init(bytes: isMissing ? [] : HistoryFile(path).contents(), path: path)
    }

    /// Reads the bytes of a file.
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
                // Only what has no end can have been cut off.
                guard end == nil, case .malformed = error else { throw error }
                hasTornLine = true
                return
            }
            start = end.map { $0 + 1 } ?? bytes.count
            wholeSize = start
        }
    }

    /// Adds a run to a file, which is made when it is not there. A line that was cut off before is removed.
    public static func append(_ run: RunRecord, to path: String) throws(RunHistoryError) {
        let file = try HistoryFile(path)
        let bytes = try file.contents()
        let history = try RunHistory(bytes: bytes, path: path)
        if history.hasTornLine { try file.cut(to: history.wholeSize) }
        let lacksEnd = !history.hasTornLine && !bytes.isEmpty && bytes.last != UInt8(ascii: "\n")
        try file.append((lacksEnd ? [UInt8(ascii: "\n")] : []) + line(of: run, path: path) + [UInt8(ascii: "\n")])
    }

    /// The runs that one may be compared with: of the same machine, in a store of the same size.
    public func series(of run: RunRecord) -> [RunRecord] { runs.filter(run.isSameSeries) }

    /// Each operation of a run beside the last runs of its series; empty when there are none.
    public func comparisons(of run: RunRecord, withLast count: Int = 5) -> [RunComparison] {
        let series = series(of: run)
        return run.operations.compactMap { times in
            // Some runs measured some operations only.
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
            // Numbers and texts can always be written.
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
