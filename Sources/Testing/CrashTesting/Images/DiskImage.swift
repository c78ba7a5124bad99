/// What a disk holds at a moment: folders and files by their path relative to the recorded folder, which itself has the
/// empty path and is always there.
struct DiskImage: Sendable, Equatable {
    private(set) var files: [String: FileContent] = [:]
    private(set) var folders: Set<String> = []

    /// The folders that files lie in need not be named.
    init(files: [String: [UInt8]] = [:], folders: [String] = []) {
        for folder in folders { addFolder(folder) }
        for (path, bytes) in files { addFile(path, FileContent(bytes)) }
    }

    /// A file's bytes; nil when there is no such file.
    func bytes(of path: String) -> [UInt8]? { files[path]?.bytes }

    mutating func addFile(_ path: String, _ content: FileContent) {
        addFolder(Self.folder(of: path))
        files[path] = content
    }

    mutating func removeFile(_ path: String) {
        files[path] = nil
    }

    mutating func addFolder(_ path: String) {
        guard !path.isEmpty, folders.insert(path).inserted else { return }
        addFolder(Self.folder(of: path))
    }

    /// Everything: names, lengths and bytes. Costs a step for each page.
    var digest: UInt64 {
        digest { _, content in content.digest }
    }

    /// Of everything, where the caller says what counts of a file; nil for a file that does not count at all.
    func digest(ofFile: (_ path: String, FileContent) -> UInt64?) -> UInt64 {
        // Added up, so that their order in the dictionary does not matter.
        var sum: UInt64 = 0
        for folder in folders {
            var digest = RunningDigest(seed: 2)
            digest.mix(folder)
            sum &+= SeededBits.mix(digest.value)
        }
        for (path, content) in files {
            guard let content = ofFile(path, content) else { continue }
            var digest = RunningDigest(seed: 3)
            digest.mix(path)
            digest.mix(content)
            sum &+= SeededBits.mix(digest.value)
        }
        return sum
    }

    static func folder(of path: String) -> String {
        path.lastIndex(of: "/").map { String(path[..<$0]) } ?? ""
    }

    static func name(of path: String) -> String {
        path.lastIndex(of: "/").map { String(path[path.index(after: $0)...]) } ?? path
    }
}
