/// A step that a crash leaves done or not done. (A write can also be torn.)
enum DiskChange: Sendable {
    /// A name in a folder.
    struct Place: Sendable, Hashable {
        let folder: FileTree.Number
        let name: String
    }

    case write(PageWrite)
    case resize(file: FileTree.Number, length: Int)
    case link(Place, FileTree.Number)
    case unlink(Place)
    /// `left` are the places in the same folder that the file has left, and is in still when earlier renames are lost.
    case rename(from: Place, to: Place, FileTree.Number, left: Set<Place>)
    /// Two names that are there change what they lead to, at once.
    case exchange(Place, FileTree.Number, with: Place, FileTree.Number, left: Set<Place>)

    /// Whether a flush of a file or folder is about this.
    func belongs(to number: FileTree.Number) -> Bool {
        switch self {
        case .write(let write): write.file == number
        case .resize(let file, _): file == number
        case .link(let place, _), .unlink(let place): place.folder == number
        case .rename(let one, let two, _, _), .exchange(let one, _, let two, _, _):
            one.folder == number || two.folder == number
        }
    }

    /// Whether the disk cannot hold the later one of the two without the earlier one: they are about the same page, the
    /// same length or the same name.
    func isBound(to other: DiskChange) -> Bool {
        switch (self, other) {
        case (.write(let one), .write(let two)):
            one.file == two.file && one.pageNumber == two.pageNumber
        case (.resize(let one, _), .resize(let two, _)):
            one == two
        case (.write(let write), .resize(let file, let length)), (.resize(let file, let length), .write(let write)):
            write.file == file && write.range.upperBound > length
        default:
            places.contains { other.places.contains($0) }
        }
    }

    private var places: [Place] {
        switch self {
        case .write, .resize: []
        case .link(let place, _), .unlink(let place): [place]
        case .rename(let one, let two, _, _), .exchange(let one, _, let two, _, _): [one, two]
        }
    }

    var isExchange: Bool {
        if case .exchange = self { true } else { false }
    }
}
