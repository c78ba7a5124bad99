import FileSystem

/// A file, or standard input, read from beginning to end.
package final class InputFile {
    private let descriptor: FileDescriptor
    private let path: String

    /// Standard input.
    package static var standard: InputFile { InputFile(.standardInput, path: "standard input") }

    /// Takes ownership of a descriptor, except that of standard input.
    package init(_ descriptor: FileDescriptor, path: String) {
        self.descriptor = descriptor
        self.path = path
    }

    /// Opens a file; `-` is standard input.
    package static func opening(_ path: String) throws(FileError) -> InputFile {
        if path == "-" { return .standard }
        return InputFile(try FileError.naming(path, FileDescriptor(path, for: .reading)), path: path)
    }

    deinit {
        if descriptor != .standardInput { descriptor.close() }
    }

    /// Returns the bytes that have arrived, waiting for the first; empty at the end.
    package func chunk() throws(FileError) -> [UInt8] { try OpenedFile.read(descriptor, path: path) }

    /// Reads to the end.
    package func contents() throws(FileError) -> [UInt8] {
        var all: [UInt8] = []
        while true {
            let next = try chunk()
            if next.isEmpty { return all }
            all += next
        }
    }
}
