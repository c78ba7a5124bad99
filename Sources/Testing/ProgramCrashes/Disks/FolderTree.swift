import DiskImages
import LabSupport

/// A file, folder or link of a tree.
struct TreeNode: Sendable {
    enum Kind: Sendable { case file, folder, link }

    let kind: Kind
    var content = FileContent()
    /// The nodes in a folder by their names.
    var names: [NameTable.Number: Int] = [:]
    var target: [UInt8] = []
    var mode = 0
}

/// The names of a test by number, so that an image does not copy and hash them.
///
/// Confined to the thread that runs the test.
final class NameTable {
    typealias Number = Int

    private var numbers: [[UInt8]: Number] = [:]
    private(set) var names: [[UInt8]] = []
    private(set) var digests: [UInt64] = []

    func number(of name: [UInt8]) -> Number {
        if let number = numbers[name] { return number }
        var digest = RunningDigest(seed: 5)
        for byte in name { digest.mix(UInt64(byte)) }
        digest.mix(name.count)
        numbers[name] = names.count
        names.append(name)
        digests.append(digest.value)
        return names.count - 1
    }

    /// The number of the last name of a path.
    func number(ofPath path: [UInt8]) -> Number {
        number(of: Array(path[(path.lastIndex(of: UInt8(ascii: "/")).map { $0 + 1 } ?? 0)...]))
    }
}

/// Files and folders by number, like a file system's inodes. The folder itself has number 0.
struct FolderTree {
    var nodes: [TreeNode]
    let names: NameTable
    /// Deeper folders do not exist: losing some of several renames could make a folder contain itself.
    private static let depthMax = 100

    init(names: NameTable) {
        self.names = names
        nodes = [TreeNode(kind: .folder)]
    }

    /// A digest of names, kinds and bytes. Modes and times are not part of a crash.
    func digest() -> UInt64 { digest(of: 0, depth: 0) }

    private func digest(of number: Int, depth: Int) -> UInt64 {
        let node = nodes[number]
        switch node.kind {
        case .file: return node.content.digest
        case .link:
            var digest = RunningDigest(seed: 6)
            for byte in node.target { digest.mix(UInt64(byte)) }
            return digest.value
        case .folder:
            guard depth < Self.depthMax else { return 0 }
            // A sum, so that the order of the dictionary does not matter.
            var sum: UInt64 = 7
            for (name, child) in node.names {
                var digest = RunningDigest(seed: names.digests[name])
                digest.mix(self.digest(of: child, depth: depth + 1))
                sum &+= SeededGenerator.mix(digest.value)
            }
            return sum
        }
    }

    /// Calls a closure for each path with its node, a folder before its content, in the order of the names.
    func forEach(_ body: (_ path: [UInt8], _ number: Int) -> Void) { visit(0, path: [], depth: 0, body) }

    private func visit(_ folder: Int, path: [UInt8], depth: Int, _ body: ([UInt8], Int) -> Void) {
        guard depth < Self.depthMax else { return }
        let sorted = nodes[folder].names.map { (names.names[$0.key], $0.value) }
            .sorted { $0.0.lexicographicallyPrecedes($1.0) }
        for (name, child) in sorted {
            let below = path.isEmpty ? name : path + [UInt8(ascii: "/")] + name
            body(below, child)
            if nodes[child].kind == .folder { visit(child, path: below, depth: depth + 1, body) }
        }
    }

    /// Returns the paths whose kind or bytes differ from those of another tree.
    func differences(from other: FolderTree) -> [[UInt8]] {
        let (mine, theirs) = (contents, other.contents)
        return Set(mine.keys).union(theirs.keys).filter { mine[$0] != theirs[$0] }
            .sorted { $0.lexicographicallyPrecedes($1) }
    }

    private var contents: [[UInt8]: UInt64] {
        var result: [[UInt8]: UInt64] = [:]
        forEach { path, number in
            let node = nodes[number]
            result[path] = node.kind == .folder ? 1 : digest(of: number, depth: 0) &+ (node.kind == .link ? 1 : 0)
        }
        return result
    }
}

extension FolderTree {
    /// Reads the content of a folder from the events that list it; returns the numbers of its inodes as well.
    static func reading(_ events: some Sequence<TraceEvent>, names: NameTable) -> (FolderTree, [Int: Int]) {
        var tree = FolderTree(names: names)
        var numbers: [Int: Int] = [:]
        for event in events {
            switch event.kind {
            case .root: numbers[event.inode] = 0
            case .create:
                var node = TreeNode(kind: event.nodeKind)
                node.target = event.other
                node.mode = event.mode
                numbers[event.inode] = tree.nodes.count
                tree.nodes.append(node)
                tree.link(event, to: tree.nodes.count - 1, numbers)
            case .link: if let number = numbers[event.inode] { tree.link(event, to: number, numbers) }
            case .write:
                if let number = numbers[event.inode] {
                    tree.nodes[number].content.write(event.bytes, at: event.offset)
                }
            case .size: if let number = numbers[event.inode] { tree.nodes[number].content.resize(to: event.size) }
            default: break
            }
        }
        return (tree, numbers)
    }

    private mutating func link(_ event: TraceEvent, to number: Int, _ numbers: [Int: Int]) {
        if let folder = numbers[event.folder] { nodes[folder].names[names.number(ofPath: event.path)] = number }
    }

    /// The tree as the bytes of which a checker makes a folder.
    func imageBytes() -> [UInt8] {
        var writer = ImageWriter()
        var paths: [Int: [UInt8]] = [:]
        var folders: [(path: [UInt8], mode: Int)] = []
        forEach { path, number in
            let node = nodes[number]
            switch node.kind {
            case .folder:
                writer.begin("d", mode: node.mode, path)
                folders.append((path, node.mode))
            case .link:
                writer.begin("l", mode: node.mode, path)
                writer.put(text: node.target)
            case .file:
                if let first = paths[number] {
                    writer.begin("h", mode: node.mode, path)
                    writer.put(text: first)
                } else {
                    writer.begin("f", mode: node.mode, path)
                    writer.put(node.content)
                    paths[number] = path
                }
            }
        }
        for (path, mode) in folders.reversed() where mode != 0o700 { writer.begin("m", mode: mode, path) }
        return writer.bytes
    }
}

private struct ImageWriter {
    private(set) var bytes: [UInt8] = []

    mutating func begin(_ kind: Unicode.Scalar, mode: Int, _ path: [UInt8]) {
        bytes.append(UInt8(ascii: kind))
        put(mode, size: 4)
        put(text: path)
    }

    mutating func put(text: [UInt8]) {
        put(text.count, size: 4)
        bytes += text
    }

    /// The pages of a file; holes are left out.
    mutating func put(_ content: FileContent) {
        let written = content.pages.indices.filter { content.pages[$0] !== Page.zero }
        put(content.length, size: 8)
        put(written.count, size: 4)
        for index in written {
            let start = index * Page.size
            let length = min(Page.size, content.length - start)
            put(start, size: 8)
            put(length, size: 4)
            bytes += content.pages[index].bytes[..<length]
        }
    }

    private mutating func put(_ number: Int, size: Int) {
        for shift in 0..<size { bytes.append(UInt8(truncatingIfNeeded: number >> (8 * shift))) }
    }
}
