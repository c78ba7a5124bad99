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

    @Test("A task is found by its id in either case, or by an unambiguous beginning of it [S-46]")
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
        // Nine digits without a hyphen can only be the end of an id.
        #expect(throws: TaskError.noSuchTask(id: "000012345")) { try opened.tasks.find("000012345") }
        for text in ["", "000", "0000-1", "-0000", "zzzz", "00001234xabc", "0000123４", "0000-0000-0000"] {
            #expect(throws: TaskError.notAnID(text)) { try opened.tasks.find(text) }
        }
    }

    @Test("A beginning with an odd number of digits finds its task among thousands [S-46]")
    func oddDigits() async throws {
        let opened = try TestTasks()
        try await opened.tasks.create((0..<4200).map { NewTask("x", id: id($0)) } + [NewTask("last", id: id(0xF000))])
        #expect(try opened.tasks.find("0000f").text == "last")
        #expect(throws: TaskError.self) { try opened.tasks.find("00000") }
    }

    private func ending(_ head: String, _ tail: String) -> UUID {
        UUID(uuidString: "\(head)-abcd-4000-8000-\(tail)")!
    }

    @Test("A task is found by the end of its id; open tasks come before completed ones [S-46]")
    func suffixes() async throws {
        let opened = try TestTasks()
        let ids = [
            ending("00000001", "00000000beef"), ending("00000002", "000000a0beef"), ending("00000003", "111100000001"),
        ]
        try await opened.tasks.create(zip(["a", "b", "c"], ids).map { NewTask($0, id: $1) })
        for text in ["00beef", "0000BEEF", "8000-00000000beef", "0-8000-00000000beef"] {
            #expect(try opened.tasks.find(text).text == "a")
        }
        #expect(try opened.tasks.find("a0beef").text == "b")
        #expect(throws: TaskError.ambiguous(prefix: "beef", candidates: [ids[0], ids[1]].map(\.lowercased))) {
            try opened.tasks.find("beef")
        }
        try await opened.tasks.complete(ids[0])
        #expect(try opened.tasks.find("beef").text == "b")
        try await opened.tasks.complete(ids[1])
        #expect(throws: TaskError.self) { try opened.tasks.find("beef") }
        #expect(try opened.tasks.find("0000beef").text == "a")
        // The end of one id is the beginning of others.
        #expect(throws: TaskError.self) { try opened.tasks.find("00000001") }
        #expect(try opened.tasks.find("111100000001").text == "c")
    }

    @Test("A short id is the shortest suffix of at least four digits that finds its task [S-46]")
    func shortIDs() async throws {
        let opened = try TestTasks()
        let ids = [
            ending("00000001", "00000000beef"), ending("00000002", "00000001beef"), ending("00000003", "00000000cafe"),
            ending("00000004", "111111110000"), ending("00000005", "00000000cafd"), ending("cafd0000", "000000001234"),
        ]
        try await opened.tasks.create(ids.map { NewTask("x", id: $0) })
        let short = try opened.tasks.read { try $0.shortIDs(of: ids) }
        // The fourth one's "0000" begins most ids, and "cafd" begins one.
        #expect(ids.map { short[$0] } == ["0beef", "1beef", "cafe", "10000", "0cafd", "1234"])
        for id in ids { #expect(try opened.tasks.find(short[id] ?? "").id == id) }
        // A completed task does not make the others' ids longer.
        try await opened.tasks.complete(ids[1])
        #expect(try opened.tasks.read { try $0.shortIDs(of: [ids[0]]) } == [ids[0]: "beef"])
        #expect(try opened.tasks.find("beef").id == ids[0])
    }

    @Test("Short ids find their tasks among thousands of random ids, open and completed [S-46]")
    func manyShortIDs() async throws {
        let opened = try TestTasks()
        let made = try await opened.tasks.create((0..<3000).map { NewTask("\($0)") })
        try await opened.tasks.setState(made.prefix(500).map(\.id), to: .completed)
        let shown = made.suffix(300).map(\.id)
        try opened.tasks.read { reading in
            let short = try reading.shortIDs(of: shown)
            #expect(Set(short.values).count == shown.count)
            for id in shown {
                let text = try #require(short[id])
                #expect(text.count >= 4 && text.count <= 9)
                let found = try reading.find(text)
                #expect(found.id == id)
            }
        }
    }
}
