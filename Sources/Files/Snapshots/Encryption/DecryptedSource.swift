import ByteStreams

/// Gives a file's header as it is, and what follows decrypted: the plain file.
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
    ///   - header: the part in front that is not encrypted, which was read already.
    ///   - path: what an error names.
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
            do {
                state = .chunks(ChunkCipher(key: try head.key(from: passphrase), front: header + head.encoded))
            } catch {
                throw .notDecryptable(path: path)
            }
        }
        // An empty chunk is no end: only the last one is.
        while case .chunks(var cipher) = state {
            let chunk = try open(with: &cipher)
            if !chunk.isEmpty { return chunk }
        }
        return []
    }

    private mutating func open(with cipher: inout ChunkCipher) throws(FileError) -> [UInt8] {
        let size = EncryptionHead.chunkSize + ChunkCipher.tagSize
        // One byte more tells whether this is the last one.
        try fill(size + 1)
        let isLast = pending.count <= size
        let chunk = pending.prefix(size)
        guard chunk.count >= ChunkCipher.tagSize else { throw .notDecryptable(path: path) }
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
