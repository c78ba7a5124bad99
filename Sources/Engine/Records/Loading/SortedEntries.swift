import KeyValue
import Threading

/// Entries that come in any order and are read once in the order of their keys, with bounded memory: a full buffer is
/// sorted and written to a file without a name as a run, and the runs are merged. Made by an ``EntryMemory``.
final class SortedEntries {
    /// How many entries there are.
    private(set) var count = 0
    private let folder: String
    private var buffer = EntryBuffer()
    private var file: ScratchFile?
    /// The runs in the file.
    private var runs: [Range<Int>] = []
    /// The run that is being written.
    private var writing: (run: SortedRun, result: BackgroundResult<Result<Range<Int>, any Error>>)?

    /// How much memory the merging takes, over all runs.
    private static let mergeBytes = 4 << 20

    /// - Parameter folder: where the file is created, if it is needed.
    fileprivate init(in folder: String) {
        self.folder = folder
    }

    /// How many bytes the buffer has.
    var byteCount: Int { buffer.byteCount }

    /// How many runs were written.
    var runCount: Int { runs.count + (writing == nil ? 0 : 1) }

    fileprivate func add(_ key: RawSpan, _ value: RawSpan) {
        buffer.add(key, value)
        count += 1
    }

    /// Empties the buffer: its entries are sorted and written on another thread, which takes as long as deriving some thousand
    /// more.
    fileprivate func startRun(on thread: WorkThread) throws {
        try settle()
        let target: ScratchFile
        if let file { target = file } else { target = try ScratchFile(in: folder) }
        file = target
        let run = SortedRun(of: &buffer, in: target)
        // Only the other thread uses the run and the file until `settle`.
        nonisolated(unsafe) let written = run
        writing = (run, thread.start { written.write() })
    }

    /// Waits until no run is being written.
    fileprivate func settle() throws {
        guard let (run, result) = writing else { return }
        writing = nil
        runs.append(try result.wait().get())
        if buffer.count == 0 { run.release(&buffer) }
    }

    /// Passes every entry to a closure, in the order of the keys; of equal keys, in the order in which they came. Nothing is
    /// left afterward.
    func drain(_ body: (_ key: RawSpan, _ value: RawSpan) throws -> Void) throws {
        defer {
            buffer = EntryBuffer()
            (file, runs, count) = (nil, [], 0)
        }
        guard let file else {
            buffer.sort()
            let span = buffer.bytes.span.bytes
            for position in 0..<buffer.count {
                try body(
                    span.extracting(buffer.keyRange(at: position)), span.extracting(buffer.valueRange(at: position)))
            }
            return
        }
        try settle()
        if buffer.count > 0 { runs.append(try SortedRun(of: &buffer, in: file).write().get()) }
        buffer = EntryBuffer()
        let windowSize = max(1 << 14, Self.mergeBytes / runs.count)
        var merge = RunMerge(try runs.map { try RunReader(file: file, rest: $0, windowSize: windowSize) })
        while try merge.lendNext(body) {}
    }
}

/// The memory that the entries of several tables share: when it is full, the table with the most entries writes a run.
///
/// Shares of one size would make the table of a long index write many small runs while those of short ones are empty.
final class EntryMemory {
    private let byteLimit: Int
    private var byteCount = 0
    private var tables: [SortedEntries] = []
    /// Sorts and writes runs.
    private let thread = WorkThread()
    /// The table that writes a run.
    private var writing: SortedEntries?

    /// - Parameter byteLimit: the size of all buffers; what is being written takes up to as much again.
    init(byteLimit: Int) {
        self.byteLimit = byteLimit
    }

    /// The entries of another table.
    ///
    /// - Parameter folder: where their file is created, if it is needed.
    func makeEntries(in folder: String) -> SortedEntries {
        let entries = SortedEntries(in: folder)
        tables.append(entries)
        return entries
    }

    func add(_ key: RawSpan, _ value: RawSpan, to entries: SortedEntries) throws {
        let before = entries.byteCount
        entries.add(key, value)
        byteCount += entries.byteCount - before
        guard byteCount >= byteLimit, let largest = tables.max(by: { $0.byteCount < $1.byteCount }) else { return }
        byteCount -= largest.byteCount
        // One at a time, or the memory would not be bounded.
        try writing?.settle()
        writing = largest
        try largest.startRun(on: thread)
    }
}
