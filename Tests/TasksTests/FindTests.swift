import CivilTime
import Foundation
import Testing

@testable import Tasks

@Suite struct FindTests {
    private func id(_ number: Int) -> UUID {
        let digits = String(number, radix: 16)
        let head = "0000" + String(repeating: "0", count: 4 - digits.count) + digits
        return UUID(uuidString: "\(head)-abcd-4000-8000-000000000000")!
    }

    @Test("S-46: a task is found by its id in either case, or by as much of it as tells it apart")
    func prefixes() async throws {
        let opened = try TestTasks()
        try await opened.tasks.create([NewTask("a", id: id(0x1234)), NewTask("b", id: id(0x1256))])
        for text in ["00001234-ABCD-4000-8000-000000000000", "00001234", "0000123", "00001234-", "00001234-aBc"] {
            #expect(try opened.tasks.find(text).text == "a")
        }
        #expect(throws: TaskError.ambiguous(prefix: "000012", candidates: [id(0x1234), id(0x1256)].map(\.lowercased))) {
            try opened.tasks.find("000012")
        }
        #expect(throws: TaskError.noSuchTask(id: "00001239")) { try opened.tasks.find("00001239") }
        for text in ["", "000", "0000-1", "zzzz", "000012345", "00001234xabc", "0000123４"] {
            #expect(throws: TaskError.notAnID(text)) { try opened.tasks.find(text) }
        }
    }

    @Test("S-46: a beginning of an odd number of digits finds its task among thousands")
    func oddDigits() async throws {
        let opened = try TestTasks()
        try await opened.tasks.create((0..<4200).map { NewTask("x", id: id($0)) } + [NewTask("last", id: id(0xF000))])
        #expect(try opened.tasks.find("0000f").text == "last")
        #expect(throws: TaskError.self) { try opened.tasks.find("00000") }
    }
}
