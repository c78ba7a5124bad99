import FileSystem
import SystemErrors

/// Reads and writes the files of a report.
enum ReportFiles {
    static func bytes(of path: String) throws(ProgramCrashError) -> ArraySlice<UInt8> {
        do throws(SystemCondition) {
            let descriptor = try FileDescriptor(path, for: .reading)
            defer { descriptor.close() }
            var bytes = [UInt8](repeating: 0, count: try descriptor.status.size)
            let count = try descriptor.fill(&bytes, at: 0)
            return bytes[..<count]
        } catch {
            throw .system(operation: "read \(path)", code: error.code)
        }
    }

    static func write(_ bytes: [UInt8], to path: String) throws(ProgramCrashError) {
        do throws(SystemCondition) {
            let descriptor = try FileDescriptor(path, for: .overwriting)
            defer { descriptor.close() }
            try descriptor.write(bytes)
        } catch {
            throw .system(operation: "write \(path)", code: error.code)
        }
    }

    /// The first line of a text file, for a message; empty if there is none.
    static func firstLine(of path: String) -> String {
        guard let bytes = try? bytes(of: path) else { return "" }
        return String(decoding: bytes.prefix { $0 != UInt8(ascii: "\n") }.prefix(400), as: UTF8.self)
    }
}
