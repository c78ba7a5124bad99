#if canImport(Darwin)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// What came of reading a file.
enum FileContents {
    case bytes([UInt8])
    /// There is no such file, or it is not a plain one.
    case missing
    case unreadable(String)
}

/// The file's bytes; a file that is larger than allowed is not read.
func readWholeFile(_ path: String, sizeMax: Int) -> FileContents {
    // Non-blocking: the name may lead to a pipe without a writer.
    let file = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
    guard file >= 0 else {
        return errno == ENOENT || errno == ENOTDIR ? .missing : .unreadable("it cannot be opened")
    }
    defer { close(file) }
    var information = stat()
    guard fstat(file, &information) == 0, information.st_mode & S_IFMT == S_IFREG else { return .missing }
    guard information.st_size <= sizeMax else { return .unreadable("it is too large") }

    var bytes: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 8_192)
    while bytes.count <= sizeMax {
        let count = read(file, &buffer, buffer.count)
        if count < 0, errno == EINTR { continue }
        guard count >= 0 else { return .unreadable("it cannot be read") }
        if count == 0 { return .bytes(bytes) }
        bytes.append(contentsOf: buffer[..<count])
    }
    return .unreadable("it is too large")
}

/// The target of a symbolic link; nil when the path is no link.
func linkTarget(_ path: String) -> String? {
    var buffer = [CChar](repeating: 0, count: 4_096)
    let count = readlink(path, &buffer, buffer.count)
    guard count > 0, count < buffer.count else { return nil }
    return String(decoding: buffer[..<count].map(UInt8.init(bitPattern:)), as: UTF8.self)
}

/// What changes when a file is replaced or rewritten; nil when there is none.
func fileStamp(_ path: String) -> [Int]? {
    var information = stat()
    guard lstat(path, &information) == 0 else { return nil }
    #if canImport(Darwin)
        let changed = information.st_ctimespec
    #else
        let changed = information.st_ctim
    #endif
    let number = Int(truncatingIfNeeded: information.st_ino)
    return [number, Int(information.st_size), Int(changed.tv_sec), Int(changed.tv_nsec)]
}

/// The paths that match a shell pattern, in no order; directories end in a slash.
func paths(matching pattern: String) -> [String] {
    var matches = glob_t()
    defer { globfree(&matches) }
    guard glob(pattern, GLOB_MARK | GLOB_NOSORT, nil, &matches) == 0 else { return [] }
    return (0..<Int(matches.gl_pathc)).compactMap { index in
        matches.gl_pathv[index].map { String(cString: $0) }
    }
}

/// The value of an environment variable; nil when it is not set.
func environmentVariable(_ name: String) -> String? {
    guard let value = getenv(name) else { return nil }
    return String(cString: value)
}
