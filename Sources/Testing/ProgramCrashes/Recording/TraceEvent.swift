/// An event of a recording: a call that changed the folder, a flush, or an acknowledged line.
package struct TraceEvent: Sendable {
    package enum Kind: String, Sendable {
        case write, create, link, unlink, rename, size, sync, close, mode, note, root, begin, end, complete, together
        case flushAll = "syncall"
        case acknowledgment = "ack"
        case refusal = "refuse"
    }

    /// Its place in the recording; the first event of the program has number 1.
    package internal(set) var number: Int
    package let process: Int
    package let kind: Kind
    /// Relative to the folder, which is ".".
    let path: [UInt8]
    /// The new path of a rename, the target of a link, the text of an acknowledgment.
    private(set) var other: [UInt8] = []
    private(set) var inode = 0
    private(set) var folder = 0
    private(set) var otherFolder = 0
    /// The file that a rename replaces; 0 if none.
    private(set) var replaced = 0
    private(set) var isExchange = false
    private(set) var offset = 0
    private(set) var length = 0
    private(set) var dataStart = 0
    private(set) var isSynchronous = false
    private(set) var isMapped = false
    private(set) var isDataOnly = false
    /// Whether a flush is limited to a range.
    private(set) var hasRange = false
    private(set) var size = 0
    private(set) var mode = 0
    private(set) var nodeKind = TreeNode.Kind.file
    /// The exit code of the program, or the negative number of a signal.
    private(set) var status = 0
    private(set) var microseconds = 0
    private(set) var peakMemory = 0
    /// What a note says.
    private(set) var note = ""
    /// The bytes of a write.
    var bytes: ArraySlice<UInt8> = []

    /// Whether a crash right after the event can leave other images than before it.
    var isCrashPoint: Bool {
        switch kind {
        case .write, .create, .link, .unlink, .rename, .size, .acknowledgment: true
        default: false
        }
    }

    /// Whether it is a call, as a report counts them.
    var isCall: Bool {
        switch kind {
        case .write, .create, .link, .unlink, .rename, .size, .sync, .flushAll, .mode: true
        default: false
        }
    }

    var isFlush: Bool { kind == .sync || kind == .flushAll || (kind == .write && isSynchronous) }
}

extension TraceEvent {
    /// Parses a line of the log: `number process kind path key=value …`.
    init?(line: ArraySlice<UInt8>) {
        let words = line.split(separator: UInt8(ascii: " "))
        guard words.count >= 4, let number = Int(Self.text(words[0])), let process = Int(Self.text(words[1])),
            let kind = Kind(rawValue: Self.text(words[2]))
        else { return nil }
        self.number = number
        self.process = process
        self.kind = kind
        path = PercentEscapes.decoded(words[3])
        for word in words[4...] {
            guard let equal = word.firstIndex(of: UInt8(ascii: "=")) else { return nil }
            set(Self.text(word[..<equal]), to: word[(equal + 1)...])
        }
    }

    private static func text(_ bytes: ArraySlice<UInt8>) -> String { String(decoding: bytes, as: UTF8.self) }

    private mutating func set(_ key: String, to value: ArraySlice<UInt8>) {
        let text = Self.text(value)
        let number = Int(text) ?? 0
        switch key {
        case "to": other = PercentEscapes.decoded(value)
        case "ino": inode = number
        case "dir": folder = number
        case "dir2": otherFolder = number
        case "over": replaced = number
        case "exchange": isExchange = number == 1
        case "off":
            offset = number
            hasRange = true
        case "len": length = number
        case "data":
            dataStart = number
            isDataOnly = kind == .sync && number == 1
        case "sync": isSynchronous = number == 1
        case "map": isMapped = number == 1
        case "size": size = number
        case "mode": mode = Int(text, radix: 8) ?? 0
        case "kind": nodeKind = text == "d" ? .folder : text == "l" ? .link : .file
        case "status": status = number
        case "us": microseconds = number
        case "memory": peakMemory = number * 1024
        default: note = key
        }
    }

    /// The event in words, as a report shows it.
    package var words: String {
        let path = Self.text(self.path[...])
        let other = Self.text(self.other[...])
        switch kind {
        case .write:
            let way = isMapped ? " (mapped memory)" : isSynchronous ? " (O_DSYNC)" : ""
            return "write \(path) bytes \(offset)..\(offset + length)\(way)"
        case .create:
            let what = nodeKind == .folder ? "make folder" : nodeKind == .link ? "make link" : "create"
            return "\(what) \(path)"
        case .rename: return isExchange ? "exchange \(path) and \(other)" : "rename \(path) to \(other)"
        case .size: return size == 0 ? "truncate \(path)" : "set the size of \(path) to \(size)"
        case .sync: return (isDataOnly ? "fdatasync " : "fsync ") + path
        case .flushAll: return "sync"
        case .acknowledgment: return "acknowledge \(other)"
        default: return "\(kind.rawValue) \(path)"
        }
    }
}

/// Bytes that would end a word or a line are written as `%` and two hexadecimal digits.
enum PercentEscapes {
    static func decoded(_ bytes: ArraySlice<UInt8>) -> [UInt8] {
        var result: [UInt8] = []
        result.reserveCapacity(bytes.count)
        var index = bytes.startIndex
        while index < bytes.endIndex {
            if bytes[index] == UInt8(ascii: "%"), index + 2 < bytes.endIndex,
                let byte = UInt8(String(decoding: bytes[(index + 1)...(index + 2)], as: UTF8.self), radix: 16)
            {
                result.append(byte)
                index += 3
            } else {
                result.append(bytes[index])
                index += 1
            }
        }
        return result
    }
}
