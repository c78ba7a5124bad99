import DiskImages

/// A part of a call that a disk keeps or loses as a whole, until a flush covers it.
final class PendingChange {
    struct Place: Hashable {
        let folder: Int
        let name: NameTable.Number
    }

    enum Kind {
        /// The bytes of a write in one page.
        case write(offset: Int, bytes: ArraySlice<UInt8>)
        case resize(Int)
        /// A new size that is recorded before the bytes of a write, at an offset, that causes it.
        case earlySize(Int, offset: Int)
        /// The bytes of a file reach the disk before what follows.
        case allocation
        case link(Place)
        case unlink(Place)
        case rename(Place, to: Place)
        case exchange(Place, with: Place, other: Int?)
    }

    let kind: Kind
    let event: TraceEvent
    let file: Int
    /// The changes without which this one cannot be on the disk.
    var needs: [PendingChange] = []
    var isDurable = false
    /// Whether it is a write that ends behind the end of its file.
    var extends = false
    /// Its place among the pending changes.
    var index = 0
    // Writes into equal pages give equal pages, and most images share them.
    private var formerPage: Page?
    private var writtenPage = Page.zero

    init(_ kind: Kind, _ event: TraceEvent, file: Int) {
        self.kind = kind
        self.event = event
        self.file = file
    }

    var isWrite: Bool {
        if case .write = kind { true } else { false }
    }

    var isAllocation: Bool {
        if case .allocation = kind { true } else { false }
    }

    /// The offsets of a write; empty for all others.
    var range: Range<Int> {
        if case .write(let offset, let bytes) = kind { offset..<offset + bytes.count } else { 0..<0 }
    }

    var page: Int { range.lowerBound / Page.size }

    /// The first folder whose names change.
    var folder: Int? {
        switch kind {
        case .link(let place), .unlink(let place), .rename(let place, _), .exchange(let place, _, _): place.folder
        default: nil
        }
    }

    /// Whether a name in a folder changes.
    func changesName(in folder: Int) -> Bool {
        switch kind {
        case .link(let place), .unlink(let place): place.folder == folder
        case .rename(let one, let two), .exchange(let one, let two, _): one.folder == folder || two.folder == folder
        default: false
        }
    }

    func apply(to tree: inout FolderTree) {
        switch kind {
        case .write(let offset, let bytes): write(bytes, at: offset, in: &tree)
        case .resize(let size): tree.nodes[file].content.resize(to: size)
        case .earlySize(let size, let offset):
            // Not where the page is a hole.
            let content = tree.nodes[file].content
            let page = offset / Page.size
            if content.length < size, page < content.pages.count, content.pages[page] !== Page.zero {
                tree.nodes[file].content.resize(to: size)
            }
        case .allocation: break
        case .link(let place): tree.nodes[place.folder].names[place.name] = file
        case .unlink(let place): tree.nodes[place.folder].names[place.name] = nil
        case .rename(let old, let new):
            tree.nodes[old.folder].names[old.name] = nil
            tree.nodes[new.folder].names[new.name] = file
        case .exchange(let one, let two, let other):
            tree.nodes[one.folder].names[one.name] = other
            tree.nodes[two.folder].names[two.name] = file
        }
    }

    private func write(_ bytes: ArraySlice<UInt8>, at offset: Int, in tree: inout FolderTree) {
        let page = page
        let pages = tree.nodes[file].content.pages
        let former = page < pages.count ? pages[page] : Page.zero
        if formerPage !== former {
            let start = offset - page * Page.size
            if bytes.count == Page.size {
                writtenPage = Page(Array(bytes))
            } else {
                var changed = former.bytes
                changed.replaceSubrange(start..<start + bytes.count, with: bytes)
                writtenPage = Page(changed)
            }
            formerPage = former
        }
        tree.nodes[file].content.put(writtenPage, at: page, extendingTo: offset + bytes.count)
    }

    /// The change in words, as a report shows it.
    var words: String {
        switch kind {
        case .write where event.length > Page.size: "\(event.words) [page \(page)]"
        case .earlySize(let size, _): "size \(size) of \(String(decoding: event.path, as: UTF8.self))"
        default: event.words
        }
    }
}
