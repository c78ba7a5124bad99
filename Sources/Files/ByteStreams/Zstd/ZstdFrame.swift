import CZstd

/// Compresses bytes into one zstd frame with the length and a checksum of the content. The context and the buffer are
/// reused.
package final class ZstdFrameCompressor {
    /// Nil at level 0 and for lack of memory; then nothing is compressed.
    private let context: OpaquePointer?
    private var room: [UInt8] = []

    /// - Parameter level: from 1, fast, to 19, small; 0 for no compression.
    package init(level: Int) {
        let level = min(max(level, 0), 19)
        context = level == 0 ? nil : ZSTD_createCCtx()
        guard let context else { return }
        ZSTD_CCtx_setParameter(context, ZSTD_c_compressionLevel, Int32(level))
        ZSTD_CCtx_setParameter(context, ZSTD_c_checksumFlag, 1)
        ZSTD_CCtx_setParameter(context, ZSTD_c_contentSizeFlag, 1)
        if level > 5 {
            // The tables of higher levels would use up to 80 MB for a frame of 8 MB; these use 8 MB.
            ZSTD_CCtx_setParameter(context, ZSTD_c_chainLog, 20)
            ZSTD_CCtx_setParameter(context, ZSTD_c_hashLog, 20)
        }
    }

    deinit {
        ZSTD_freeCCtx(context)
    }

    /// Appends the frame unless it is longer than `limit`; returns its length, or nil when nothing was appended.
    package func compress(_ bytes: [UInt8], appendingTo output: inout [UInt8], limit: Int) -> Int? {
        guard let context else { return nil }
        let bound = ZSTD_compressBound(bytes.count)
        if room.count < bound { room = [UInt8](repeating: 0, count: bound) }
        let length = ZSTD_compress2(context, &room, room.count, bytes, bytes.count)
        guard ZSTD_isError(length) == 0, length <= limit else { return nil }
        output.append(contentsOf: room[0..<length])
        return length
    }
}

/// Decompresses frames of `ZstdFrameCompressor` with one context.
package final class ZstdFrameDecompressor {
    private let context: OpaquePointer?

    package init() {
        context = ZSTD_createDCtx()
    }

    deinit {
        ZSTD_freeDCtx(context)
    }

    /// Returns the content of the frame in a range of `source`; nil unless the frame is complete, undamaged and exactly
    /// `length` bytes long. No more memory than that is allocated.
    package func decompress(_ source: [UInt8], at range: Range<Int>, length: Int) -> [UInt8]? {
        guard let context, range.lowerBound >= 0, range.upperBound <= source.count else { return nil }
        return source.withUnsafeBufferPointer { source in
            let frame = UnsafeBufferPointer(rebasing: source[range])
            guard let start = frame.baseAddress,
                ZSTD_getFrameContentSize(start, frame.count) == UInt64(length),
                ZSTD_findFrameCompressedSize(start, frame.count) == frame.count
            else { return nil }
            var isWhole = false
            let content = [UInt8](unsafeUninitializedCapacity: length) { room, count in
                let read = ZSTD_decompressDCtx(context, room.baseAddress, length, start, frame.count)
                isWhole = ZSTD_isError(read) == 0 && read == length
                count = isWhole ? length : 0
            }
            return isWhole ? content : nil
        }
    }
}
