import ByteStreams
import FileSystem

/// A file to import, which can be read repeatedly; zstd is recognized and decompressed.
///
/// A source that can be read only once is buffered: up to 8 MiB in memory, beyond that in a temporary file without
/// a name.
public final class TaskFile {
    /// The file's name, where it has one.
    public let name: String?
    private let store: any ByteStore
    private var isCompressed: Bool?
    /// The number of bytes read, in all passes.
    public private(set) var bytesRead = 0

    /// Opens a file.
    public convenience init(path: String) throws(FileError) {
        let descriptor = try FileError.naming(path, FileDescriptor(path, for: .reading))
        self.init(descriptor: descriptor, path: path, name: path)
    }

    /// Creates a file for standard input.
    public convenience init(standardInput path: String = "standard input") {
        // One that is not open cannot be read, which reading reports.
        let descriptor = (try? FileDescriptor.standardInput.duplicate()) ?? FileDescriptor(-1)
        self.init(descriptor: descriptor, path: path, name: nil)
    }

    private init(descriptor: FileDescriptor, path: String, name: String?) {
        self.name = name
        // A part of it may have been read already.
        if let status = try? descriptor.status, status.kind == .file, descriptor.position == 0 {
            store = OpenedFile(descriptor: descriptor, path: path, count: status.size)
        } else {
            let stream = InputFile(descriptor, path: path)
            store = Spool { () throws(FileError) in try stream.chunk() }
        }
    }

    /// Creates a file that is in memory.
    public init(_ bytes: [UInt8], name: String? = nil) {
        self.name = name
        store = BytesInMemory(bytes)
    }

    /// Creates a file whose bytes can be read once.
    public init(name: String? = nil, source: @escaping ByteSource) {
        self.name = name
        store = Spool(source)
    }

    /// The number of bytes of one pass, if it is known.
    public var byteCount: Int? { store.count }

    /// Detects the format by the content, then by the name.
    public func detectFormat() throws(FileError) -> ImportFormat {
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
        return try TaskFormat.detect(beginning: beginning, name: plainName, rest: source)
    }

    /// Returns the decompressed bytes from the beginning, as UTF-8 where they are UTF-16.
    ///
    /// - Parameter again: Whether the file will be read again.
    /// - Throws: `FileError.unsupportedFormat` for an archive and for UTF-32.
    public func bytes(again: Bool = true) throws(FileError) -> ByteSource {
        let raw = rawBytes()
        let isCompressed = try recogniseCompression()
        (store as? Spool)?.keeps = again
        guard isCompressed else { return try TextDecoding.decoded(raw, name: name) }
        let reader = ZstdReader(raw)
        return try TextDecoding.decoded({ () throws(FileError) in try reader.next() }, name: name)
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
}
