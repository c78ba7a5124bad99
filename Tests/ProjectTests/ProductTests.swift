import Foundation
import Testing

@Suite struct ProductTests {
    /// The recorder takes the place of libc's file calls: right for the program, which looks for its own faults, and for
    /// nobody who uses the library.
    @Test("The library product does not bring the disk recorder along")
    func recorderIsNotInTheLibrary() throws {
        let symbol = Data("disk_log_begin".utf8)
        try #expect(contents(of: "daybook").range(of: symbol) != nil)
        let user = try contents(of: "LibraryUser")
        #expect(user.range(of: Data("KeyValue".utf8)) != nil)
        #expect(user.range(of: symbol) == nil)
        #expect(user.range(of: Data("CrashLab".utf8)) == nil)
    }

    /// A program that lies beside the tests', wherever the build's folder is.
    private func contents(of program: String) throws -> Data {
        #if os(Linux)
            let tests = URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath()
        #else
            let tests = try #require(Bundle.allBundles.first { $0.bundlePath.hasSuffix(".xctest") }).bundleURL
        #endif
        return try Data(contentsOf: tests.deletingLastPathComponent().appendingPathComponent(program))
    }
}
