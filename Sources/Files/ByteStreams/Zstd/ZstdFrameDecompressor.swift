import CZstd

/// Reads frames that `ZstdFrameCompressor` made, with one context for all of them.
package final class ZstdFrameDecompressor {
    private let context: OpaquePointer?

    package init() {
        context = ZSTD_createDCtx()
    }

    deinit {
        ZSTD_freeDCtx(context)
    }

    /// The content of the one frame that some bytes of `source` are; nil unless that is whole, undamaged and exactly
    /// `length` bytes long. No more than that is ever taken.
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
