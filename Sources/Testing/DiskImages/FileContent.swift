import KeyValue
import Synchronization

/// A 4,096-byte page, shared by all images that contain it, so that an image costs only its differences.
package final class Page: Sendable {
    package static let size = 4096
    /// The content of holes.
    package static let zero = Page([])

    package let bytes: [UInt8]
    package let hash: UInt64
    private let parsed = AtomicLazyReference<LMDBPage>()

    /// Creates a page, padded with zeros.
    package init(_ bytes: [UInt8]) {
        let whole = bytes + repeatElement(0, count: Self.size - bytes.count)
        self.bytes = whole
        hash = XXHash64.hash(whole.span.bytes, seed: 0)
    }

    /// The page as LMDB interprets it, parsed once.
    package var asLMDBPage: LMDBPage {
        parsed.load() ?? parsed.storeIfNil(LMDBPage(bytes))
    }
}

extension Page: Equatable {
    package static func == (left: Page, right: Page) -> Bool {
        left === right || (left.hash == right.hash && left.bytes == right.bytes)
    }
}

/// The bytes of a file, in pages. Bytes beyond its length in the last page are zero.
package struct FileContent: Sendable, Equatable {
    package private(set) var length = 0
    package private(set) var pages: [Page] = []

    package init() {}

    package init(_ bytes: [UInt8]) {
        write(bytes[...], at: 0)
    }

    package var bytes: [UInt8] {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(pages.count * Page.size)
        for page in pages { bytes += page.bytes }
        bytes.removeLast(bytes.count - length)
        return bytes
    }

    package var digest: UInt64 {
        var digest = RunningDigest(seed: 1)
        digest.mix(length)
        for page in pages { digest.mix(page.hash) }
        return digest.value
    }

    package mutating func resize(to newLength: Int) {
        let count = (newLength + Page.size - 1) / Page.size
        if count < pages.count {
            pages.removeLast(pages.count - count)
        } else if count > pages.count {
            pages.append(contentsOf: repeatElement(Page.zero, count: count - pages.count))
        }
        let rest = newLength % Page.size
        if newLength < length, rest != 0 {
            pages[count - 1] = Page(Array(pages[count - 1].bytes[..<rest]))
        }
        length = newLength
    }

    /// Overwrites bytes; a gap before them becomes a hole.
    package mutating func write(_ bytes: ArraySlice<UInt8>, at offset: Int) {
        guard !bytes.isEmpty else { return }
        if offset + bytes.count > length { resize(to: offset + bytes.count) }
        var rest = bytes
        var position = offset
        while !rest.isEmpty {
            let start = position % Page.size
            let part = rest.prefix(Page.size - start)
            let number = position / Page.size
            if part.count == Page.size {
                pages[number] = Page(Array(part))
            } else {
                var changed = pages[number].bytes
                changed.replaceSubrange(start..<start + part.count, with: part)
                pages[number] = Page(changed)
            }
            rest = rest.dropFirst(part.count)
            position += part.count
        }
    }

    /// Replaces a whole page, extending the file if necessary.
    package mutating func put(_ page: Page, at number: Int) {
        if (number + 1) * Page.size > length { resize(to: (number + 1) * Page.size) }
        pages[number] = page
    }

    /// Replaces a page, and extends the file where it is shorter than a length.
    package mutating func put(_ page: Page, at number: Int, extendingTo newLength: Int) {
        if newLength > length { resize(to: newLength) }
        pages[number] = page
    }
}
