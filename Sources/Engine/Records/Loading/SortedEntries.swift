import KeyValue

/// Entries that come in any order and are read once in the order of their keys, with bounded memory: a full buffer is
/// sorted and written to a file without a name as a run, and the runs are merged.
final class SortedEntries {
    /// How many entries there are.
    private(set) var count = 0
    private let folder: String
    private let byteLimit: Int
    private var buffer = EntryBuffer()
    private var file: ScratchFile?
    /// The runs in the file.
    private var runs: [Range<Int>] = []

    /// How much memory the merging takes, over all runs.
    private static let mergeBytes = 4 << 20

    /// - Parameters:
    ///   - folder: where the file is created, if it is needed.
    ///   - byteLimit: the size of the buffer.
    init(in folder: String, byteLimit: Int) {
        self.folder = folder
        self.byteLimit = byteLimit
    }

    /// How many bytes the buffer has.
    var byteCount: Int { buffer.byteCount }

    /// How many runs were written.
    var runCount: Int { runs.count }

    func add(_ key: RawSpan, _ value: RawSpan) throws {
        buffer.add(key, value)
        count += 1
        if buffer.byteCount >= byteLimit { try writeRun() }
    }

    fileprivate func writeRun() throws {
        let target: ScratchFile
        if let file { target = file } else { target = try ScratchFile(in: folder) }
        file = target
        let start = target.count
        var bytes: [UInt8] = []
        buffer.sort()
        for position in 0..<buffer.count {
            let (key, value) = (buffer.keyRange(at: position), buffer.valueRange(at: position))
            bytes.append(UInt8(truncatingIfNeeded: key.count))
            bytes.append(littleEndian: UInt32(value.count))
            bytes.append(contentsOf: buffer.bytes[key.lowerBound..<value.upperBound])
            if bytes.count >= 1 << 18 {
                try target.append(bytes)
                bytes.removeAll(keepingCapacity: true)
            }
        }
        try target.append(bytes)
        runs.append(start..<target.count)
        buffer.removeAll()
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
        if buffer.count > 0 { try writeRun() }
        buffer = EntryBuffer()
        let windowSize = max(1 << 14, Self.mergeBytes / runs.count)
        var readers: [RunReader] = []
        for run in runs {
            var reader = RunReader(file: file, rest: run, windowSize: windowSize)
            if try reader.advance() { readers.append(reader) }
        }
        // A heap of the runs, the one with the least key first.
        for start in stride(from: readers.count / 2 - 1, through: 0, by: -1) { Self.sink(&readers, from: start) }
        while !readers.isEmpty {
            try readers[0].lend(body)
            if try !readers[0].advance() {
                readers.swapAt(0, readers.count - 1)
                readers.removeLast()
            }
            Self.sink(&readers, from: 0)
        }
    }

    private static func sink(_ readers: inout [RunReader], from start: Int) {
        var parent = start
        while true {
            var least = parent
            for child in (2 * parent + 1)...(2 * parent + 2)
            where child < readers.count && readers[child].precedes(readers[least]) {
                least = child
            }
            guard least != parent else { return }
            readers.swapAt(parent, least)
            parent = least
        }
    }
}

/// The memory that the entries of several tables share: when it is full, the table with the most entries writes a run.
///
/// Shares of one size would make the table of a long index write many small runs while those of short ones are empty.
final class EntryMemory {
    private let byteLimit: Int
    private var byteCount = 0
    private var tables: [SortedEntries] = []

    /// - Parameter byteLimit: the size of all buffers.
    init(byteLimit: Int) {
        self.byteLimit = byteLimit
    }

    /// The entries of another table.
    ///
    /// - Parameter folder: where their file is created, if it is needed.
    func makeEntries(in folder: String) -> SortedEntries {
        let entries = SortedEntries(in: folder, byteLimit: .max)
        tables.append(entries)
        return entries
    }

    func add(_ key: RawSpan, _ value: RawSpan, to entries: SortedEntries) throws {
        let before = entries.byteCount
        try entries.add(key, value)
        byteCount += entries.byteCount - before
        guard byteCount >= byteLimit, let largest = tables.max(by: { $0.byteCount < $1.byteCount }) else { return }
        byteCount -= largest.byteCount
        try largest.writeRun()
    }
}

/// Reads one sorted run.
private struct RunReader {
    private let file: ScratchFile
    /// What was not read from the file yet.
    private var rest: Range<Int>
    private let windowSize: Int
    /// Where the run begins, which decides between equal keys.
    private let start: Int
    private var window: [UInt8] = []
    private var position = 0
    private var key = 0..<0
    private var value = 0..<0
    private var order = KeyOrder(RawSpan(), at: 0)

    private static let headCount = 5

    init(file: ScratchFile, rest: Range<Int>, windowSize: Int) {
        self.file = file
        self.rest = rest
        self.windowSize = windowSize
        start = rest.lowerBound
    }

    /// Moves to the next entry; false at the end.
    mutating func advance() throws -> Bool {
        position = value.upperBound
        guard try fill(Self.headCount) else { return false }
        let keyCount = Int(window[position])
        let valueCount = Int(window.span.bytes.littleEndian(at: position + 1, as: UInt32.self))
        _ = try fill(Self.headCount + keyCount + valueCount)
        let keyStart = position + Self.headCount
        key = keyStart..<(keyStart + keyCount)
        value = key.upperBound..<(key.upperBound + valueCount)
        order = KeyOrder(window.span.bytes.extracting(key), at: 0)
        return true
    }

    /// Reads until so many bytes follow the position; false when nothing is left.
    private mutating func fill(_ needed: Int) throws -> Bool {
        while window.count - position < needed {
            guard !rest.isEmpty else { return false }
            window.removeFirst(position)
            position = 0
            let before = window.count
            try file.read(min(max(windowSize, needed), rest.count), at: rest.lowerBound, to: &window)
            rest = (rest.lowerBound + window.count - before)..<rest.upperBound
        }
        return true
    }

    func lend(_ body: (_ key: RawSpan, _ value: RawSpan) throws -> Void) throws {
        let span = window.span.bytes
        try body(span.extracting(key), span.extracting(value))
    }

    func precedes(_ other: RunReader) -> Bool {
        if let precedes = order.precedes(other.order) { return precedes }
        let (mine, theirs) = (window.span.bytes.extracting(key), other.window.span.bytes.extracting(other.key))
        if mine.precedes(theirs) { return true }
        return mine.byteCount == theirs.byteCount && start < other.start && mine.isEqual(to: theirs)
    }
}

/// The beginning of a key as numbers, which nearly always decide the order, and where the key is.
private struct KeyOrder {
    let high: UInt64
    let low: UInt64
    let start: UInt32
    let keyCount: UInt8
    var valueCount: UInt32 = 0

    init(_ key: RawSpan, at start: Int) {
        let count = key.byteCount
        if count >= 16 {
            high = key.bigEndian(at: 0)
            low = key.bigEndian(at: 8)
        } else {
            var halves: (high: UInt64, low: UInt64) = (0, 0)
            for offset in 0..<count {
                let byte = UInt64(key[byteAt: offset])
                if offset < 8 {
                    halves.high |= byte << UInt64(56 - 8 * offset)
                } else {
                    halves.low |= byte << UInt64(120 - 8 * offset)
                }
            }
            (high, low) = halves
        }
        self.start = UInt32(start)
        keyCount = UInt8(count)
    }

    /// Nil when the rest of the keys has to decide.
    func precedes(_ other: KeyOrder) -> Bool? {
        if high != other.high { return high < other.high }
        if low != other.low { return low < other.low }
        return nil
    }
}

/// A buffer of entries to sort, without an allocation for each.
private struct EntryBuffer {
    private var items: [KeyOrder] = []
    private(set) var bytes: [UInt8] = []
    /// Whether the entries came in order so far.
    private var isSorted = true

    var count: Int { items.count }
    var byteCount: Int { items.count * MemoryLayout<KeyOrder>.stride + bytes.count }

    mutating func add(_ key: RawSpan, _ value: RawSpan) {
        var item = KeyOrder(key, at: bytes.count)
        item.valueCount = UInt32(value.byteCount)
        bytes.append(key)
        bytes.append(value)
        if isSorted, let last = items.last {
            isSorted = last.precedes(item) ?? !key.precedes(bytes.span.bytes.extracting(Self.keyRange(of: last)))
        }
        items.append(item)
    }

    mutating func sort() {
        guard !isSorted else { return }
        let bytes = bytes
        items.sort { first, second in
            if let precedes = first.precedes(second) { return precedes }
            let span = bytes.span.bytes
            let (left, right) = (span.extracting(Self.keyRange(of: first)), span.extracting(Self.keyRange(of: second)))
            if left.precedes(right) { return true }
            // In the order in which they came.
            return first.start < second.start && left.isEqual(to: right)
        }
        isSorted = true
    }

    func keyRange(at position: Int) -> Range<Int> { Self.keyRange(of: items[position]) }

    func valueRange(at position: Int) -> Range<Int> {
        let item = items[position]
        let start = Int(item.start) + Int(item.keyCount)
        return start..<(start + Int(item.valueCount))
    }

    private static func keyRange(of item: KeyOrder) -> Range<Int> {
        Int(item.start)..<(Int(item.start) + Int(item.keyCount))
    }

    mutating func removeAll() {
        // A single large record must not keep its memory allocated.
        bytes.removeAll(keepingCapacity: bytes.count < 32 << 20)
        items.removeAll(keepingCapacity: true)
        isSorted = true
    }
}
