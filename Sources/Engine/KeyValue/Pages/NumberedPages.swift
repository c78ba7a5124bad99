#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

/// The pages of a file that may be damaged, by the numbers in their headers: two pages that traded places are found by them.
/// Nothing is mapped.
final class NumberedPages {
    private let file: PageFile
    /// How many pages the file has; the last one may be cut short.
    let count: Int
    /// The meta pages that can be read, wherever they are, those of even transactions first.
    let metas: [MetaPage]
    /// The number in the header of each page.
    let numbers: [UInt64]
    /// Where the pages are that are not in their places.
    private let displaced: [UInt64: Int]

    /// Reads every page of a file once.
    ///
    /// - Parameter checkpoint: the meta pages of the state that is wanted, if it is not the newest one of the file.
    /// - Throws: `permissionDenied`, `storeNotFound`; `damaged` for an empty file.
    init(of path: String, at checkpoint: CommitSlot.MetaPages? = nil) throws(KeyValueError) {
        var information = stat()
        guard unsafe stat(path, &information) == 0 else { throw .storeNotFound(path: path) }
        var metas = if let checkpoint { checkpoint.readable } else { try MetaPage.readable(in: path) }
        let pageSize = metas.first?.pageSize ?? 4096
        file = try PageFile(path, pageSize: pageSize)
        count = (Int(information.st_size) + pageSize - 1) / pageSize
        guard count > 0 else { throw .damaged(path: path, detail: "the data file is empty") }
        var numbers = Array(repeating: UInt64.max, count: count)
        var displaced: [UInt64: Int] = [:]
        for position in numbers.indices {
            guard let page = file.paddedPage(UInt64(position)) else { continue }
            if checkpoint == nil, position > 1, page.isMeta, let meta = unsafe MetaPage(page.bytes.span.bytes),
                meta.pageSize == pageSize
            {
                metas.append(meta)
            }
            let number = page.number
            numbers[position] = number
            guard number != UInt64(position), number < UInt64(count) else { continue }
            if page.isTree ? page.hasValidLayout : page.overflowPageCount != nil { displaced[number] = position }
        }
        self.metas = metas.sorted { $0.transaction % 2 < $1.transaction % 2 }
        self.numbers = numbers
        self.displaced = displaced
    }

    /// The page at a position, filled up with zeros where the file ends.
    func page(at position: Int) -> TreePage? { file.paddedPage(UInt64(position)) }

    /// The position of a page: its own, unless another page is there and it is elsewhere.
    func position(of number: UInt64) -> Int? {
        guard number < UInt64(count) else { return nil }
        return numbers[Int(number)] == number ? Int(number) : displaced[number] ?? Int(number)
    }

    /// The number of the page that is at a position: by its header, if nothing better is known of that number.
    func number(at position: Int) -> UInt64 { isKnown(at: position) ? numbers[position] : UInt64(position) }

    /// Whether the page at a position is the one that its header says.
    func isKnown(at position: Int) -> Bool { self.position(of: numbers[position]) == position }

    /// How many pages a large value of some bytes takes.
    func pagesInRun(of byteCount: Int) -> Int {
        PageFormat.overflowPages(holding: byteCount, pageSize: file.pageSize)
    }

    /// The bytes of a large value; nil when the file does not have them.
    func value(at first: UInt64, count byteCount: Int) -> [UInt8]? {
        guard byteCount <= count * file.pageSize, let start = position(of: first) else { return nil }
        return file.bytes(at: UInt64(start), count: TreePage.headerSize + byteCount).map {
            Array($0[TreePage.headerSize...])
        }
    }

    /// The pages that an entry of the list of free pages names; nil when it is none.
    func freePages(in entry: LeafEntry, of page: TreePage) -> [UInt64]? {
        var list: [UInt8]?
        switch entry.value {
        case .within(let range): list = Array(page.bytes[range])
        case .overflow(let first, let count): list = value(at: first, count: count)
        case .table: break
        }
        guard let list, unsafe FreeList.isValid(list.span.bytes) else { return nil }
        var free: [UInt64] = []
        unsafe FreeList.forEachPage(in: list.span.bytes) { free.append($0) }
        return free
    }
}
