import DiskImages
import DiskRecording
import FoundationEssentials
import Glibc
import LabSupport

/// The content of a disk: folders and files by their path relative to the recorded folder, which has the empty path and
/// always exists.
struct DiskImage: Sendable, Equatable {
    private(set) var files: [String: FileContent] = [:]
    private(set) var folders: Set<String> = []

    /// Creates an image. Folders that contain files need not be listed.
    init(files: [String: [UInt8]] = [:], folders: [String] = []) {
        for folder in folders { addFolder(folder) }
        for (path, bytes) in files { addFile(path, FileContent(bytes)) }
    }

    /// Returns a file's bytes; nil if there is no such file.
    func bytes(of path: String) -> [UInt8]? { files[path]?.bytes }

    mutating func addFile(_ path: String, _ content: FileContent) {
        addFolder(Self.folder(of: path))
        files[path] = content
    }

    mutating func removeFile(_ path: String) {
        files[path] = nil
    }

    mutating func removeEmptyFolder(_ path: String) {
        let isEmpty =
            !files.keys.contains { $0.hasPrefix(path + "/") } && !folders.contains { $0.hasPrefix(path + "/") }
        if isEmpty { folders.remove(path) }
    }

    mutating func addFolder(_ path: String) {
        guard !path.isEmpty, folders.insert(path).inserted else { return }
        addFolder(Self.folder(of: path))
    }

    /// A digest of names, lengths and bytes. Takes time proportional to the number of pages.
    var digest: UInt64 {
        digest { _, content in content.digest }
    }

    /// Returns a digest in which the caller digests the files; nil excludes a file.
    func digest(ofFile: (_ path: String, FileContent) -> UInt64?) -> UInt64 {
        // A sum, so that the order of the dictionary does not matter.
        var sum: UInt64 = 0
        for folder in folders {
            var digest = RunningDigest(seed: 2)
            digest.mix(folder)
            sum &+= SeededGenerator.mix(digest.value)
        }
        for (path, content) in files {
            guard let content = ofFile(path, content) else { continue }
            var digest = RunningDigest(seed: 3)
            digest.mix(path)
            digest.mix(content)
            sum &+= SeededGenerator.mix(digest.value)
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

/// Writes images to real folders and reads them back.
enum FolderFiles {
    /// Makes a folder hold exactly an image.
    static func replace(_ folder: String, with image: DiskImage) throws {
        try? remove(folder)
        try make(folder)
        try fill(folder, with: image)
    }

    /// Writes an image into an empty folder.
    static func fill(_ folder: String, with image: DiskImage) throws {
        for path in image.folders.sorted() where !path.isEmpty { try make("\(folder)/\(path)") }
        for path in image.files.keys.sorted() { try write(image.bytes(of: path) ?? [], to: "\(folder)/\(path)") }
    }

    /// Returns the content of a folder.
    ///
    /// - Parameter isIncluded: selects files by name. A lock file must not be read while this process has its store
    ///   open.
    static func image(of folder: String, where isIncluded: (String) -> Bool = { _ in true }) throws -> DiskImage {
        var files: [String: [UInt8]] = [:]
        var folders: [String] = []
        for path in try FileManager.default.subpathsOfDirectory(atPath: folder) {
            var information = stat()
            guard lstat("\(folder)/\(path)", &information) == 0 else { continue }
            if information.st_mode & S_IFMT == S_IFDIR {
                folders.append(path)
            } else if isIncluded(DiskImage.name(of: path)) {
                files[path] = bytes(of: "\(folder)/\(path)") ?? []
            }
        }
        return DiskImage(files: files, folders: folders)
    }

    static func bytes(of file: String) -> [UInt8]? {
        let descriptor = open(file, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { return nil }
        defer { close(descriptor) }
        var information = stat()
        guard fstat(descriptor, &information) == 0 else { return nil }
        var bytes = [UInt8](repeating: 0, count: Int(information.st_size))
        return read(descriptor, &bytes, bytes.count) == bytes.count ? bytes : nil
    }

    /// Returns the first page of a file whose size is unknown, such as those of /proc.
    static func text(of file: String) -> String? {
        let descriptor = open(file, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { return nil }
        defer { close(descriptor) }
        var bytes = [UInt8](repeating: 0, count: 4096)
        let count = read(descriptor, &bytes, bytes.count)
        return count > 0 ? String(decoding: bytes.prefix(count), as: UTF8.self) : nil
    }

    static func write(_ bytes: [UInt8], to file: String) throws {
        let descriptor = open(file, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw CrashLabError.system(operation: "write \(file)", code: errno) }
        defer { close(descriptor) }
        let written = Glibc.write(descriptor, bytes, bytes.count)
        guard written == bytes.count else {
            // A write that is cut short has no error number.
            throw CrashLabError.system(operation: "write \(file)", code: written < 0 ? errno : ENOSPC)
        }
    }

    static func remove(_ folder: String) throws { try FileManager.default.removeItem(atPath: folder) }

    private static func make(_ folder: String) throws {
        guard mkdir(folder, 0o700) == 0 || errno == EEXIST else {
            throw CrashLabError.system(operation: "make \(folder)", code: errno)
        }
    }
}
