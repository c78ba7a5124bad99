import KeyValue

/// The entries of a full buffer, which are sorted and written as a run.
final class SortedRun {
    private var buffer = EntryBuffer()
    private let file: ScratchFile

    /// Takes the entries out of a buffer.
    init(of buffer: inout EntryBuffer, in file: ScratchFile) {
        self.file = file
        swap(&self.buffer, &buffer)
    }

    /// Appends the run to the file. Returns its place.
    func write() -> Result<Range<Int>, any Error> {
        Result {
            let start = file.count
            var bytes: [UInt8] = []
            buffer.sort()
            for position in 0..<buffer.count {
                let (key, value) = (buffer.keyRange(at: position), buffer.valueRange(at: position))
                bytes.append(UInt8(truncatingIfNeeded: key.count))
                bytes.append(littleEndian: UInt32(value.count))
                bytes.append(buffer.bytes.span.bytes.extracting(key.lowerBound..<value.upperBound))
                if bytes.count >= 1 << 18 {
                    try file.append(bytes)
                    bytes.removeAll(keepingCapacity: true)
                }
            }
            try file.append(bytes)
            buffer.removeAll()
            return start..<file.count
        }
    }

    /// Gives the empty buffer back, with its memory.
    func release(_ other: inout EntryBuffer) {
        swap(&buffer, &other)
    }
}

/// Merges sorted runs by a heap, the one with the least key first.
struct RunMerge {
    /// A run's place, and the beginning of its key: comparing the readers themselves would count references for each entry.
    private struct Head {
        var order: KeyOrder
        let reader: Int
    }

    private var readers: [RunReader]
    private var heads: [Head]

    init(_ readers: [RunReader]) {
        self.readers = readers
        heads = readers.indices.filter { !readers[$0].isAtEnd }.map { Head(order: readers[$0].order, reader: $0) }
        for start in stride(from: heads.count / 2 - 1, through: 0, by: -1) { sink(from: start) }
    }

    /// Passes the entry with the least key to a closure; false when none is left.
    mutating func lendNext(_ body: (_ key: RawSpan, _ value: RawSpan) throws -> Void) throws -> Bool {
        guard let place = heads.first?.reader else { return false }
        try readers[place].lend(body)
        try readers[place].advance()
        if readers[place].isAtEnd {
            heads.swapAt(0, heads.count - 1)
            heads.removeLast()
        } else {
            heads[0].order = readers[place].order
        }
        sink(from: 0)
        return true
    }

    private mutating func sink(from start: Int) {
        var parent = start
        while true {
            var least = parent
            for child in (2 * parent + 1)...(2 * parent + 2) where child < heads.count && precedes(child, least) {
                least = child
            }
            guard least != parent else { return }
            heads.swapAt(parent, least)
            parent = least
        }
    }

    private func precedes(_ first: Int, _ second: Int) -> Bool {
        heads[first].order.precedes(heads[second].order)
            ?? readers[heads[first].reader].precedes(readers[heads[second].reader])
    }
}

/// Reads one sorted run.
struct RunReader {
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
    /// The beginning of the entry's key.
    private(set) var order = KeyOrder(RawSpan(), at: 0)
    private(set) var isAtEnd = false

    private static let headCount = 5

    /// Begins at the first entry.
    init(file: ScratchFile, rest: Range<Int>, windowSize: Int) throws {
        self.file = file
        self.rest = rest
        self.windowSize = windowSize
        start = rest.lowerBound
        try advance()
    }

    /// Moves to the next entry.
    mutating func advance() throws {
        position = value.upperBound
        guard try fill(Self.headCount) else {
            isAtEnd = true
            return
        }
        let keyCount = Int(window[position])
        let valueCount = Int(window.span.bytes.littleEndian(at: position + 1, as: UInt32.self))
        _ = try fill(Self.headCount + keyCount + valueCount)
        let keyStart = position + Self.headCount
        key = keyStart..<(keyStart + keyCount)
        value = key.upperBound..<(key.upperBound + valueCount)
        order = KeyOrder(window.span.bytes.extracting(key), at: 0)
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

    /// Passes the entry to a closure. Mutating, or the compiler would copy the reader, and count references, for each entry.
    mutating func lend(_ body: (_ key: RawSpan, _ value: RawSpan) throws -> Void) throws {
        let span = window.span.bytes
        try body(span.extracting(key), span.extracting(value))
    }

    /// Compares whole keys; of equal ones, that of the earlier run comes first.
    func precedes(_ other: RunReader) -> Bool {
        let (mine, theirs) = (window.span.bytes.extracting(key), other.window.span.bytes.extracting(other.key))
        if mine.precedes(theirs) { return true }
        return mine.byteCount == theirs.byteCount && start < other.start && mine.isEqual(to: theirs)
    }
}
