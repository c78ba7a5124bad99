import CZstd

/// Makes one zstd frame of bytes that are there as a whole, with the length and a checksum of the content in it. Its
/// context and its room are used again and again.
package final class ZstdFrameCompressor {
    /// Nil at level 0, and when there was no memory for it: then nothing is compressed.
    private let context: OpaquePointer?
    private var room: [UInt8] = []

    /// - Parameter level: from 1, fast, to 19, small; 0 for none.
    package init(level: Int) {
        let level = min(max(level, 0), 19)
        context = level == 0 ? nil : ZSTD_createCCtx()
        guard let context else { return }
        ZSTD_CCtx_setParameter(context, ZSTD_c_compressionLevel, Int32(level))
        ZSTD_CCtx_setParameter(context, ZSTD_c_checksumFlag, 1)
        ZSTD_CCtx_setParameter(context, ZSTD_c_contentSizeFlag, 1)
        if level > 5 {
            // The tables of the higher levels would be up to 80 MB for a frame of 8 MB; these are 8 MB.
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
