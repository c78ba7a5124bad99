import ByteStreams
import Glibc

/// A file that tasks are read from, from its beginning and as often as it takes; zstd is recognised and taken off.
///
/// A source that cannot be read twice is kept for that: up to 8 MiB in memory, and beyond that in a temporary file without
/// a name.
public final class TaskFile {
    /// The file's name, where it has one.
    public let name: String?
    private let store: any ByteStore
    private var isCompressed: Bool?
    /// How far the file was read, all readings together.
    public private(set) var bytesRead = 0

    /// Opens a file.
    public convenience init(path: String) throws(FileError) {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { throw FileError(code: errno, path: path) }
        self.init(descriptor: descriptor, path: path, name: path)
    }

    /// Reads a file that is open already, such as standard input; it is closed at the end unless that is standard input.
    public convenience init(standardInput path: String = "standard input") {
        self.init(descriptor: dup(STDIN_FILENO), path: path, name: nil)
    }

    private init(descriptor: Int32, path: String, name: String?) {
        self.name = name
        var status = stat()
        let isRegular = fstat(descriptor, &status) == 0 && status.st_mode & S_IFMT == S_IFREG
        // Somebody may have read a part of it already.
        if isRegular, lseek(descriptor, 0, SEEK_CUR) == 0 {
            store = OpenedFile(descriptor: descriptor, path: path, count: Int(status.st_size))
        } else {
            let stream = Stream(descriptor: descriptor, path: path)
            store = Spool { () throws(FileError) in try stream.next() }
        }
    }

    /// A file that stands in memory.
    public init(_ bytes: [UInt8], name: String? = nil) {
        self.name = name
        store = BytesInMemory(bytes)
    }

    /// A file whose bytes can be had once.
    public init(name: String? = nil, source: @escaping ByteSource) {
        self.name = name
        store = Spool(source)
    }

    /// How many bytes one reading takes, where that is known.
    public var byteCount: Int? { store.count }

    /// The format, told by the content, and where that does not say, by the name.
    public func detectFormat() throws(FileError) -> TaskFormat {
        let before = bytesRead
        defer { bytesRead = before }
        var beginning: [UInt8] = []
        let source = try bytes()
        while beginning.count < 1 << 16 {
            let part = try source()
            if part.isEmpty { break }
            beginning += part
        }
        let plainName = name.map { $0.lowercased().hasSuffix(".zst") ? String($0.dropLast(4)) : $0 }
        return try TaskFormat.detect(beginning, name: plainName)
    }

    /// The file's bytes from the beginning, not compressed.
    ///
    /// - Parameter again: whether it will be read again after this.
    public func bytes(again: Bool = true) throws(FileError) -> ByteSource {
        let raw = rawBytes()
        let isCompressed = try recogniseCompression()
        (store as? Spool)?.keeps = again
        guard isCompressed else { return raw }
        let reader = ZstdReader(raw)
        return { () throws(FileError) in try reader.next() }
    }

    private func rawBytes() -> ByteSource {
        var offset = 0
        return { [self] () throws(FileError) in
            let part = try store.bytes(at: offset)
            offset += part.count
            bytesRead += part.count
            return part
        }
    }

    private func recogniseCompression() throws(FileError) -> Bool {
        if let isCompressed { return isCompressed }
        let source = rawBytes()
        var beginning: [UInt8] = []
        while beginning.count < 4 {
            let part = try source()
            if part.isEmpty { break }
            beginning += part
        }
        bytesRead = 0
        isCompressed = ZstdReader.isCompressed(beginning)
        return isCompressed ?? false
    }

    /// A descriptor that is read once, and closed at the end.
    private final class Stream {
        private let descriptor: Int32
        private let path: String

        init(descriptor: Int32, path: String) {
            self.descriptor = descriptor
            self.path = path
        }

        deinit {
            close(descriptor)
        }

        func next() throws(FileError) -> [UInt8] {
            try OpenedFile.read(path) { bytes in read(descriptor, &bytes, bytes.count) }
        }
    }
}
