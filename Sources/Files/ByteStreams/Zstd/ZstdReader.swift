import CZstd

/// Hands out what zstd frames hold, part by part, as their bytes come from a source.
///
/// Memory is bounded whatever the frames ask for: at most 128 MiB to look back (what `zstd` itself takes without being
/// told otherwise). A small file that holds an enormous one is refused: more than 256 MiB at more than 500 times its own
/// size. Tasks as text shrink to a tenth or a thirtieth.
public final class ZstdReader {
    private static let windowLog: Int32 = 27
    private static let harmlessSize = 256 << 20
    private static let highestRatio = 500

    private let context: OpaquePointer?
    private let source: ByteSource
    private var input: [UInt8] = []
    private var position = 0
    private var output: [UInt8]
    private var bytesIn = 0
    private var bytesOut = 0
    private var isInFrame = false
    /// Whether more may come out of what went in.
    private var hasRest = false

    /// Creates a reader at the beginning of a compressed file.
    public init(_ source: @escaping ByteSource) {
        self.source = source
        context = ZSTD_createDCtx()
        output = [UInt8](repeating: 0, count: ZSTD_DStreamOutSize())
        ZSTD_DCtx_setParameter(context, ZSTD_d_windowLogMax, Self.windowLog)
    }

    deinit {
        ZSTD_freeDCtx(context)
    }

    /// Whether a file that begins with these bytes, 4 at least, is compressed.
    public static func isCompressed(_ beginning: [UInt8]) -> Bool {
        beginning.starts(with: [0x28, 0xB5, 0x2F, 0xFD])
    }

    /// The next bytes; empty at the end of the last frame.
    public func next() throws(FileError) -> [UInt8] {
        while true {
            if position == input.count, !hasRest {
                input = try source()
                position = 0
                bytesIn += input.count
                if input.isEmpty {
                    if isInFrame { throw .damagedCompression }
                    return []
                }
            }
            let (hint, written) = step()
            guard ZSTD_isError(hint) == 0 else { throw .damagedCompression }
            isInFrame = hint != 0
            hasRest = isInFrame && written == output.count
            bytesOut += written
            if bytesOut > Self.harmlessSize, bytesOut / Self.highestRatio > bytesIn { throw .excessiveExpansion }
            if written > 0 { return Array(output[..<written]) }
        }
    }

    private func step() -> (hint: Int, written: Int) {
        input.withUnsafeBytes { bytes in
            output.withUnsafeMutableBytes { room in
                var from = ZSTD_inBuffer(src: bytes.baseAddress, size: bytes.count, pos: position)
                var to = ZSTD_outBuffer(dst: room.baseAddress, size: room.count, pos: 0)
                let hint = ZSTD_decompressStream(context, &to, &from)
                position = from.pos
                return (hint, to.pos)
            }
        }
    }
}
