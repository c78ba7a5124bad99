import FileSystem
import SystemErrors

/// What came of reading a file.
enum FileContents {
    case bytes([UInt8])
    /// There is no such file, or it is not a plain one.
    case missing
    case unreadable(String)
}

/// The file's bytes; a file that is larger than allowed is not read.
func readWholeFile(_ path: String, sizeMax: Int) -> FileContents {
    let file: FileDescriptor
    do throws(SystemCondition) {
        // The name may lead to a pipe without a writer.
        file = try FileDescriptor(path, for: .readingNow)
    } catch {
        return error.isMissing ? .missing : .unreadable("it cannot be opened")
    }
    defer { file.close() }
    guard let status = try? file.status, status.kind == .file else { return .missing }
    guard status.size <= sizeMax else { return .unreadable("it is too large") }
    var bytes = [UInt8](repeating: 0, count: status.size)
    guard let count = try? file.fill(&bytes, at: 0) else { return .unreadable("it cannot be read") }
    bytes.removeLast(bytes.count - count)
    return .bytes(bytes)
}

/// What changes when a file is replaced or rewritten; nil when there is none.
func fileStamp(_ path: String) -> [Int]? {
    guard let status = try? FileStatus(of: path, followsLinks: false) else { return nil }
    let time = status.changed
    return [Int(truncatingIfNeeded: status.identity.inode), status.size, time.seconds, time.nanoseconds]
}
