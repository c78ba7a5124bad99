import FoundationEssentials
import Glibc

/// Writes images into real folders and reads files back.
enum FolderFiles {
    /// Makes a folder hold exactly what an image says.
    static func replace(_ folder: String, with image: DiskImage) throws {
        try? FileManager.default.removeItem(atPath: folder)
        try make(folder)
        try fill(folder, with: image)
    }

    /// Puts the folders and files of an image into an empty folder.
    static func fill(_ folder: String, with image: DiskImage) throws {
        for path in image.folders.sorted() where !path.isEmpty { try make("\(folder)/\(path)") }
        for path in image.files.keys.sorted() { try write(image.bytes(of: path) ?? [], to: "\(folder)/\(path)") }
    }

    /// The files and folders below a folder as an image.
    ///
    /// - Parameter isIncluded: by a file's name. A lock file must not be read while this process has its store open.
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

    /// The first page of a file whose size the system does not say, as those of /proc.
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
        guard Glibc.write(descriptor, bytes, bytes.count) == bytes.count else {
            throw CrashLabError.system(operation: "write \(file)", code: errno)
        }
    }

    private static func make(_ folder: String) throws {
        guard mkdir(folder, 0o700) == 0 || errno == EEXIST else {
            throw CrashLabError.system(operation: "make \(folder)", code: errno)
        }
    }
}
