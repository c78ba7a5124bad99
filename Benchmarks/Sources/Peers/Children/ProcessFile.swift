import Glibc

/// A file of the kernel about this process: its size is reported as 0, so it is read to its end.
enum ProcessFile {
    /// The load average of the last minute.
    static var load: String {
        (try? lines(of: "/proc/loadavg"))?.first?.split(separator: " ").first.map(String.init) ?? "unknown"
    }

    static func lines(of path: String) throws -> [Substring] {
        let descriptor = open(path, O_RDONLY)
        guard descriptor >= 0 else { throw PeerFailure("cannot read \(path): \(errno)") }
        defer { close(descriptor) }
        var bytes: [UInt8] = []
        var part = [UInt8](repeating: 0, count: 1 << 16)
        while true {
            let count = read(descriptor, &part, part.count)
            guard count > 0 else { break }
            bytes += part[0..<count]
        }
        return String(decoding: bytes, as: UTF8.self).split(separator: "\n")
    }
}

/// The bytes that this process has written so far.
struct WrittenBytes {
    let given: Int
    let stored: Int

    static func now() throws -> WrittenBytes {
        let lines = try ProcessFile.lines(of: "/proc/self/io")
        let number = { (name: String) in
            lines.first { $0.hasPrefix(name + ":") }.flatMap { $0.split(separator: " ").last }.flatMap { Int($0) } ?? 0
        }
        return WrittenBytes(given: number("wchar"), stored: number("write_bytes"))
    }
}
