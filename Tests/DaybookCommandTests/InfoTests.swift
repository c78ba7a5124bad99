import Daybook
import TestSupport
import Testing

@Suite struct InfoTests {
    @Test("Info shows the consumers of changes, with how far they are behind")
    func consumers() throws {
        let program = try TestProgram()
        for number in 0..<4 { _ = try program.add("task \(number)") }
        #expect((try program.run("info", "--json").json()["consumers"] as? [Any])?.isEmpty == true)
        let store = try DaybookStore.open(at: program.store)
        _ = try store.consumer("sync", after: 4)
        let consumer = try store.consumer("search-index")
        try consumer.advance(to: 3)
        let moved = try store.consumers[0].movedAt.description
        store.close()

        let lines = try program.run("info").lines.filter { $0.hasPrefix("consumer.") }
        #expect(lines.count == 2)
        #expect(lines[0].hasPrefix("consumer.search-index: "))
        #expect(lines[0].contains(" position 3, 1 change behind, last moved \(moved)"))
        #expect(lines[1].contains(" position 4, 0 changes behind, last moved "))
        let json = try #require(try program.run("info", "--json").json()["consumers"] as? [[String: Any]])
        #expect(json.map { $0["name"] as? String } == ["search-index", "sync"])
        #expect(json[0]["position"] as? Int == 3)
        #expect(json[0]["changesBehind"] as? Int == 1)
        #expect(json[0]["hasMissedChanges"] as? Bool == false)
        #expect(json[0]["movedAt"] as? String == moved)
    }
}
