import ByteStreams

/// Writes a file whose header is as it is and the rest in encrypted chunks.
struct EncryptedSink {
    typealias Sink = ([UInt8]) throws(FileError) -> Void

    private let header: [UInt8]
    private let passphrase: Passphrase
    private let head: EncryptionHead
    private let path: String
    private let sink: Sink
    private var pending: [UInt8] = []
    /// Nil until the first bytes come: the header is written with them.
    private var cipher: ChunkCipher?

    /// - Parameter path: what an error names.
    init(header: [UInt8], passphrase: Passphrase, head: EncryptionHead, path: String, sink: @escaping Sink) {
        self.header = header
        self.passphrase = passphrase
        self.head = head
        self.path = path
        self.sink = sink
    }

    /// Takes the next bytes of what follows the header.
    mutating func write(_ bytes: [UInt8]) throws(FileError) {
        pending += bytes
        // The last chunk is a chunk of its own kind, so what may yet become the last is held back.
        var start = 0
        while pending.count - start > EncryptionHead.chunkSize {
            try seal(Array(pending[start..<start + EncryptionHead.chunkSize]), isLast: false)
            start += EncryptionHead.chunkSize
        }
        pending.removeFirst(start)
    }

    /// Writes the last chunk. Without it the file does not open.
    mutating func finish() throws(FileError) {
        try seal(pending, isLast: true)
        pending = []
    }

    private mutating func seal(_ chunk: [UInt8], isLast: Bool) throws(FileError) {
        let sealed: [UInt8]
        do {
            var cipher = try cipher ?? ChunkCipher(key: head.key(from: passphrase), front: header + head.encoded)
            if self.cipher == nil { try sink(header + head.encoded) }
            sealed = try cipher.seal(chunk, isLast: isLast)
            self.cipher = cipher
        } catch let error as FileError {
            throw error
        } catch {
            throw .encryptionFailed(path: path)
        }
        try sink(sealed)
    }
}
