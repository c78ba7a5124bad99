import KeyValue
import Synchronization

/// 4,096 bytes of a file, shared by all images that hold them, so that an image costs what it differs in.
final class Page: Sendable {
    static let size = 4096
    /// Stands wherever a file has a hole.
    static let zero = Page([])

    let bytes: [UInt8]
    let hash: UInt64
    private let parsed = AtomicLazyReference<LMDBPage>()

    /// Zeros follow the bytes where they are fewer than a page.
    init(_ bytes: [UInt8]) {
        let whole = bytes + repeatElement(0, count: Self.size - bytes.count)
        self.bytes = whole
        hash = XXHash64.hash(whole.span.bytes, seed: 0)
    }

    /// What LMDB would see in it; found out once.
    var asLMDBPage: LMDBPage {
        if let page = parsed.load() { return page }
        let bytes = bytes
        return parsed.storeIfNil(LMDBPage(bytes.span.bytes))
    }
}

extension Page: Equatable {
    static func == (left: Page, right: Page) -> Bool {
        left === right || (left.hash == right.hash && left.bytes == right.bytes)
    }
}
