import CZstd

/// Compresses what is written to it, part by part, into one zstd frame with a checksum of its content.
public final class ZstdWriter {
    private let context: OpaquePointer?
    private let sink: ByteSink
    private var output: [UInt8]

    /// Creates a writer; the sink gets the compressed bytes.
    ///
    /// - Parameter level: from 1, fast, to 19, small.
    public init(level: Int = 3, sink: @escaping ByteSink) {
        self.sink = sink
        context = ZSTD_createCCtx()
        output = [UInt8](repeating: 0, count: ZSTD_CStreamOutSize())
        ZSTD_CCtx_setParameter(context, ZSTD_c_compressionLevel, Int32(clamping: min(max(level, 1), 19)))
        ZSTD_CCtx_setParameter(context, ZSTD_c_checksumFlag, 1)
    }

    deinit {
        ZSTD_freeCCtx(context)
    }

    /// Compresses the next bytes.
    public func write(_ bytes: [UInt8]) throws(FileError) {
        try run(bytes, ZSTD_e_continue)
    }

    /// Writes the end of the frame. Without it the file is not whole.
    public func finish() throws(FileError) {
        try run([], ZSTD_e_end)
    }

    private func run(_ bytes: [UInt8], _ directive: ZSTD_EndDirective) throws(FileError) {
        var position = 0
        while true {
            let (rest, written) = step(bytes, from: &position, directive)
            guard ZSTD_isError(rest) == 0 else { throw .compressionFailed }
            if written > 0 { try sink(Array(output[..<written])) }
            // At the end everything has to come out; until then all has to have gone in.
            if directive == ZSTD_e_end ? rest == 0 : position == bytes.count { return }
        }
    }

    private func step(
        _ bytes: [UInt8], from position: inout Int, _ directive: ZSTD_EndDirective
    ) -> (rest: Int, written: Int) {
        bytes.withUnsafeBytes { input in
            output.withUnsafeMutableBytes { room in
                var from = ZSTD_inBuffer(src: input.baseAddress, size: input.count, pos: position)
                var to = ZSTD_outBuffer(dst: room.baseAddress, size: room.count, pos: 0)
                let rest = ZSTD_compressStream2(context, &to, &from, directive)
                position = from.pos
                return (rest, to.pos)
            }
        }
    }
}
