import FoundationEssentials

/// Folders of stores.
enum Folder {
    static func make(_ path: String) throws {
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
    }

    static func remove(_ path: String) throws {
        if FileManager.default.fileExists(atPath: path) { try FileManager.default.removeItem(atPath: path) }
    }

    /// Copies a closed store, replacing an existing copy.
    static func copy(_ path: String, to copy: String) throws {
        try remove(copy)
        try FileManager.default.copyItem(atPath: path, toPath: copy)
    }

    /// Reads every file below a folder once, so that the page cache has them all: a system may have evicted what was written
    /// first, and a series would then compare a disk with memory.
    static func load(_ path: String) throws {
        for name in try FileManager.default.subpathsOfDirectory(atPath: path) {
            _ = FileManager.default.contents(atPath: "\(path)/\(name)")
        }
    }
}
