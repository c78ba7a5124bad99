import FileSystem
import SystemErrors

/// A file without a name, for what does not fit into memory. It disappears with this value or with the process. Used from
/// one thread at a time.
package final class ScratchFile {
    /// How many bytes it has.
    package private(set) var count = 0
    private let descriptor: FileDescriptor
    private let folder: String

    /// Creates it, on the file system of a folder, with mode 0600.
    package init(in folder: String) throws(KeyValueError) {
        self.folder = folder
        descriptor = try systemCall("create a file", on: folder, FileTree.makeNamelessFile("\(folder)/scratch"))
    }

    deinit {
        descriptor.close()
    }

    /// Appends bytes.
    package func append(_ bytes: [UInt8]) throws(KeyValueError) {
        try systemCall("write a file", on: folder, descriptor.write(bytes, at: count))
        count += bytes.count
    }

    /// Appends up to `limit` bytes from an offset to an array.
    package func read(_ limit: Int, at offset: Int, to bytes: inout [UInt8]) throws(KeyValueError) {
        let start = bytes.count
        let end = start + min(limit, count - offset)
        bytes.append(contentsOf: repeatElement(0, count: end - start))
        let found = try systemCall("read a file", on: folder, descriptor.fill(&bytes, from: start, at: offset))
        guard found == end - start else {
            throw .system(operation: "read a file", code: SystemCondition.inputOutput.code)
        }
    }
}
