import Foundation
import Testing

@Suite struct ProductTests {
    /// They take the place of libc's file calls and of malloc: right for the program, which looks for its own faults, and
    /// for nobody who uses the library.
    @Test("The library product does not bring the disk recorder and the count of allocations along")
    func recorderIsNotInTheLibrary() throws {
        let user = try contents(of: "LibraryUser")
        #expect(user.range(of: Data("KeyValue".utf8)) != nil)
        for symbol in ["disk_log_begin", "allocation_count_begin"].map({ Data($0.utf8) }) {
            try #expect(contents(of: "daybook").range(of: symbol) != nil)
            #expect(user.range(of: symbol) == nil)
        }
        #expect(user.range(of: Data("CrashTesting".utf8)) == nil)
    }

    private func contents(of program: String) throws -> Data {
        try Data(contentsOf: Programs.url(of: program))
    }
}
