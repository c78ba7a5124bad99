import CZstd

/// Compresses parts into one zstd frame with a checksum of the content.
package final class ZstdWriter {
    private let context: OpaquePointer?
    private let sink: ByteSink
    private var output: [UInt8]

    /// Creates a writer; the sink receives the compressed bytes.
    ///
    /// - Parameter level: from 1, fast, to 19, small.
    package init(level: Int = 3, sink: @escaping ByteSink) {
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
    package func write(_ bytes: [UInt8]) throws(FileError) {
        try run(bytes, ZSTD_e_continue)
    }

    /// Writes the end of the frame, without which the file is incomplete.
    package func finish() throws(FileError) {
        try run([], ZSTD_e_end)
    }

    private func run(_ bytes: [UInt8], _ directive: ZSTD_EndDirective) throws(FileError) {
        var position = 0
        while true {
            let (rest, written) = step(bytes, from: &position, directive)
            guard ZSTD_isError(rest) == 0 else { throw .compressionFailed }
            if written > 0 { try sink(Array(output[..<written])) }
            // At the end all output must be written; before, all input must be consumed.
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

/// Decompresses zstd frames part by part, as their bytes arrive from a source.
///
/// Memory is bounded whatever the frames request: the window is at most 128 MiB, the default limit of `zstd`. A file
/// that expands to more than 256 MiB and more than 500 times its size is refused; tasks as text shrink to a tenth or a
/// thirtieth.
package final class ZstdReader {
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
    /// Whether the input may still yield more output.
    private var hasRest = false

    /// Creates a reader at the beginning of a compressed file.
    package init(_ source: @escaping ByteSource) {
        self.source = source
        context = ZSTD_createDCtx()
        output = [UInt8](repeating: 0, count: ZSTD_DStreamOutSize())
        ZSTD_DCtx_setParameter(context, ZSTD_d_windowLogMax, Self.windowLog)
    }

    deinit {
        ZSTD_freeDCtx(context)
    }

    /// Whether a file that begins with these bytes, at least 4, is compressed.
    package static func isCompressed(_ beginning: [UInt8]) -> Bool {
        beginning.starts(with: [0x28, 0xB5, 0x2F, 0xFD])
    }

    /// The next bytes; empty at the end of the last frame.
    package func next() throws(FileError) -> [UInt8] {
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

/// The zstd library.
package enum ZstdLibrary {
    /// Its version, such as `1.5.4`; other versions may compress to other bytes.
    package static var version: String {
        let number = ZSTD_versionNumber()
        return "\(number / 10_000).\(number / 100 % 100).\(number % 100)"
    }
}
