import ByteStreams

/// Writes a file with a plain header, followed by encrypted chunks.
struct EncryptedSink {
    typealias Sink = ([UInt8]) throws(FileError) -> Void

    private let header: [UInt8]
    private let passphrase: Passphrase
    private let head: EncryptionHead
    private let path: String
    private let sink: Sink
    private var pending: [UInt8] = []
    /// Nil until the first chunk, with which the header is written.
    private var cipher: ChunkCipher?

    /// - Parameter path: the path in errors.
    init(header: [UInt8], passphrase: Passphrase, head: EncryptionHead, path: String, sink: @escaping Sink) {
        self.header = header
        self.passphrase = passphrase
        self.head = head
        self.path = path
        self.sink = sink
    }

    /// Writes the next bytes after the header.
    mutating func write(_ bytes: [UInt8]) throws(FileError) {
        pending += bytes
        // The last chunk is marked as the last, so a chunk is held back until more bytes follow.
        var start = 0
        while pending.count - start > EncryptionHead.chunkSize {
            try seal(Array(pending[start..<start + EncryptionHead.chunkSize]), isLast: false)
            start += EncryptionHead.chunkSize
        }
        pending.removeFirst(start)
    }

    /// Writes the last chunk, without which the file cannot be opened.
    mutating func finish() throws(FileError) {
        try seal(pending, isLast: true)
        pending = []
    }

    private mutating func seal(_ chunk: [UInt8], isLast: Bool) throws(FileError) {
        let sealed: [UInt8]
        do {
            var cipher =
                try cipher
                ?? ChunkCipher(
                    key: head.key(from: passphrase.bytes, path: path), front: header + head.encoded)
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

/// Reads an encrypted file: the header is plain, the rest is decrypted.
struct DecryptedSource {
    typealias Source = () throws(FileError) -> [UInt8]

    private enum State {
        case head
        case chunks(ChunkCipher)
        case ended
    }

    private let passphrase: Passphrase
    private let header: [UInt8]
    private let path: String
    private let source: Source
    private var pending: [UInt8] = []
    private var sourceHasEnded = false
    private var state = State.head

    /// - Parameters:
    ///   - header: the plain beginning of the file, which was read before.
    ///   - path: the path in errors.
    init(header: [UInt8], passphrase: Passphrase, path: String, source: @escaping Source) {
        self.header = header
        self.passphrase = passphrase
        self.path = path
        self.source = source
    }

    /// The next bytes of the plain file after its header; empty at its end.
    mutating func next() throws(FileError) -> [UInt8] {
        if case .head = state {
            try fill(EncryptionHead.byteCount)
            guard pending.count >= EncryptionHead.byteCount,
                let head = EncryptionHead(Array(pending.prefix(EncryptionHead.byteCount)))
            else { throw .notDecryptable(path: path) }
            pending.removeFirst(EncryptionHead.byteCount)
            state = .chunks(try cipher(head))
        }
        // An empty chunk is not the end; only the last one is.
        while case .chunks(var cipher) = state {
            let chunk = try open(with: &cipher)
            if !chunk.isEmpty { return chunk }
        }
        return []
    }

    /// The cipher of the form of the passphrase that opens the first chunk.
    private mutating func cipher(_ head: EncryptionHead) throws(FileError) -> ChunkCipher {
        let size = EncryptionHead.chunkSize + ChunkCipher.tagSize
        try fill(size + 1)
        let chunk = Array(pending.prefix(size))
        for form in passphrase.forms {
            let cipher = ChunkCipher(key: try head.key(from: form, path: path), front: header + head.encoded)
            if cipher.opened(chunk, at: 0, isLast: pending.count <= size) != nil { return cipher }
        }
        throw .notDecryptable(path: path)
    }

    private mutating func open(with cipher: inout ChunkCipher) throws(FileError) -> [UInt8] {
        let size = EncryptionHead.chunkSize + ChunkCipher.tagSize
        // One more byte shows whether this is the last chunk.
        try fill(size + 1)
        let isLast = pending.count <= size
        let chunk = pending.prefix(size)
        let opened: [UInt8]
        do {
            opened = try cipher.open(chunk, isLast: isLast)
        } catch {
            throw .notDecryptable(path: path)
        }
        pending.removeFirst(chunk.count)
        state = isLast ? .ended : .chunks(cipher)
        return opened
    }

    private mutating func fill(_ count: Int) throws(FileError) {
        while pending.count < count, !sourceHasEnded {
            let bytes = try source()
            if bytes.isEmpty { sourceHasEnded = true }
            pending += bytes
        }
    }
}
