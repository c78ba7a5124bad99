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
