import Daybook
import Glibc

/// A file, or standard input, as it is read from its beginning to its end.
final class InputFile {
    private let descriptor: Int32
    private let path: String
    private static let chunkSize = 1 << 16

    /// Standard input.
    static var standard: InputFile { InputFile(descriptor: STDIN_FILENO, path: "standard input") }

    private init(descriptor: Int32, path: String) {
        self.descriptor = descriptor
        self.path = path
    }

    /// Opens a file; `-` is standard input.
    static func opening(_ path: String) throws(FileError) -> InputFile {
        if path == "-" { return .standard }
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { throw FileError(code: errno, path: path) }
        return InputFile(descriptor: descriptor, path: path)
    }

    deinit {
        if descriptor != STDIN_FILENO { close(descriptor) }
    }

    /// What is there by now, waiting for something; empty at the end.
    func chunk() throws(FileError) -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: Self.chunkSize)
        while true {
            let count = read(descriptor, &bytes, bytes.count)
            if count >= 0 { return Array(bytes.prefix(count)) }
            guard errno == EINTR else { throw FileError(code: errno, path: path) }
        }
    }

    /// All of it.
    func contents() throws(FileError) -> [UInt8] {
        var all: [UInt8] = []
        while true {
            let next = try chunk()
            if next.isEmpty { return all }
            all += next
        }
    }
}
