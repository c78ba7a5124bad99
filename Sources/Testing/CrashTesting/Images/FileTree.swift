import DiskImages

/// Files and folders by number, like a file system's inodes: a file can be followed through renames, and a file without
/// a name is lost.
struct FileTree: Sendable {
    typealias Number = Int

    static let root: Number = 0

    private(set) var files: [Number: FileContent] = [:]
    private(set) var folders: [Number: [String: Number]] = [root: [:]]

    init(_ image: DiskImage) {
        var next = Self.root + 1
        var numbers = ["": Self.root]
        // Sorted, so that a folder precedes its content and the numbers are always the same.
        for path in (image.folders.union(image.files.keys)).sorted() {
            numbers[path] = next
            if let content = image.files[path] { files[next] = content } else { folders[next] = [:] }
            folders[numbers[DiskImage.folder(of: path), default: Self.root]]?[DiskImage.name(of: path)] = next
            next += 1
        }
    }

    var image: DiskImage {
        var image = DiskImage()
        collect(Self.root, path: "", above: [], into: &image)
        return image
    }

    /// Returns the number that a path leads to.
    func number(at path: String) -> Number? {
        var number = Self.root
        for name in path.split(separator: "/") {
            guard let next = folders[number]?[String(name)] else { return nil }
            number = next
        }
        return number
    }

    func length(of file: Number) -> Int { files[file]?.length ?? 0 }

    /// Adds a file or folder without a name.
    mutating func addFile(_ number: Number) { files[number] = FileContent() }
    mutating func addFolder(_ number: Number) { folders[number] = [:] }

    /// Removes files and folders that no name leads to.
    mutating func removeAll(_ isLost: (Number) -> Bool) {
        files = files.filter { !isLost($0.key) }
        folders = folders.filter { $0.key == Self.root || !isLost($0.key) }
    }

    mutating func apply(_ change: DiskChange) {
        switch change {
        case .write(let write):
            if let page = write.wholePage {
                files[write.file]?.put(page, at: write.pageNumber)
            } else {
                files[write.file]?.write(write.bytes[...], at: write.offset)
            }
        case .resize(let file, let length):
            files[file]?.resize(to: length)
        case .link(let place, let number):
            folders[place.folder]?[place.name] = number
        case .unlink(let place):
            folders[place.folder]?[place.name] = nil
        case .rename(let old, let new, let number, let left):
            // If an earlier rename was lost, the file is still under the older name.
            for place in left { remove(number, from: place) }
            folders[old.folder]?[old.name] = nil
            folders[new.folder]?[new.name] = number
        case .exchange(let one, let first, let two, let second, let left):
            // If an earlier rename was lost, each takes the name that the other has on the disk. That is the worst that
            // a file system could do; the other case is another image.
            let (one, two) = (home(of: first, one, left), home(of: second, two, left))
            folders[one.folder]?[one.name] = second
            folders[two.folder]?[two.name] = first
        }
    }

    /// Returns which of these places a file or folder is at; the first if at none.
    private func home(
        of number: Number, _ place: DiskChange.Place, _ left: Set<DiskChange.Place>
    ) -> DiskChange.Place {
        if folders[place.folder]?[place.name] == number { return place }
        return left.first { folders[$0.folder]?[$0.name] == number } ?? place
    }

    private mutating func remove(_ number: Number, from place: DiskChange.Place) {
        if folders[place.folder]?[place.name] == number { folders[place.folder]?[place.name] = nil }
    }

    mutating func write(_ bytes: ArraySlice<UInt8>, at offset: Int, of file: Number) {
        files[file]?.write(bytes, at: offset)
    }

    mutating func extend(_ file: Number, to length: Int) {
        if self.length(of: file) < length { files[file]?.resize(to: length) }
    }

    private func collect(_ folder: Number, path: String, above: [Number], into image: inout DiskImage) {
        // Losing some of several renames could make a folder contain itself.
        guard !above.contains(folder) else { return }
        for (name, number) in folders[folder] ?? [:] {
            let below = path.isEmpty ? name : "\(path)/\(name)"
            if let content = files[number] {
                image.addFile(below, content)
            } else {
                image.addFolder(below)
                collect(number, path: below, above: above + [folder], into: &image)
            }
        }
    }
}
