import CivilTime

/// Passes a file's header on as it is, and what follows in encrypted chunks.
struct EncryptedSink {
    typealias Sink = ([UInt8]) throws(ArchiveError) -> Void

    private let headerSize: Int
    private let passphrase: Passphrase
    private let head: EncryptionHead
    private let path: String
    private let sink: Sink
    private var header: [UInt8] = []
    private var pending: [UInt8] = []
    private var cipher: ChunkCipher?

    /// - Parameter path: what an error names.
    init(
        headerSize: Int, passphrase: Passphrase, head: EncryptionHead, path: String, sink: @escaping Sink
    ) {
        self.headerSize = headerSize
        self.passphrase = passphrase
        self.head = head
        self.path = path
        self.sink = sink
    }

    /// Takes the next bytes of the plain file.
    mutating func write(_ bytes: [UInt8]) throws(ArchiveError) {
        var rest = bytes[...]
        if cipher == nil {
            let missing = headerSize - header.count
            header += rest.prefix(missing)
            rest = rest.dropFirst(missing)
            if header.count < headerSize { return }
            try begin()
        }
        pending += rest
        // The last chunk is a chunk of its own kind, so what may yet become the last is held back.
        var start = 0
        while pending.count - start > EncryptionHead.chunkSize {
            try seal(Array(pending[start..<start + EncryptionHead.chunkSize]), isLast: false)
            start += EncryptionHead.chunkSize
        }
        pending.removeFirst(start)
    }

    /// Writes the last chunk. Without it the file does not open.
    mutating func finish() throws(ArchiveError) {
        try seal(pending, isLast: true)
        pending = []
    }

    private mutating func begin() throws(ArchiveError) {
        do {
            cipher = ChunkCipher(key: try head.key(from: passphrase), front: header + head.encoded)
        } catch {
            throw .encryptionFailed(path: path)
        }
        try sink(header + head.encoded)
    }

    private mutating func seal(_ chunk: [UInt8], isLast: Bool) throws(ArchiveError) {
        let sealed: [UInt8]?
        do {
            sealed = try cipher?.seal(chunk, isLast: isLast)
        } catch {
            throw .encryptionFailed(path: path)
        }
        guard let sealed else { throw .encryptionFailed(path: path) }
        try sink(sealed)
    }
}
