import CivilTime
import Foundation
import Testing

@testable import Journals
@testable import Records

/// Keys as the first version that had them wrote them. A test that fails here means that stores which people have would be misread.
@Suite struct KeyBytesTests {
    private let one = "00000000000000000000000000000001"
    private let two = "00000000000000000000000000000002"

    private func bytes(_ keys: [some OrderedKey]) throws -> [String] {
        for key in keys {
            let written = key.keyBytes
            var decoder = KeyDecoder(written.bytes)
            #expect(try type(of: key).init(decoding: &decoder).keyBytes == written)
            #expect(written.count == type(of: key).width)
        }
        return keys.map(\.keyBytes.hexadecimal)
    }

    @Test("The bytes of the keys of threads: deleted ones last, the newest change first [S-4]")
    func threads() throws {
        var thread = JournalThread(id: uuid(1), title: "title", createdAt: Instant(microsecondsSince1970: 1))
        #expect(try bytes(JournalThread.byUpdate.keys(of: thread)) == ["00" + "7ffffffffffffffe"])
        thread.deletedAt = thread.createdAt
        #expect(try bytes(JournalThread.byUpdate.keys(of: thread)) == ["01" + "7ffffffffffffffe"])
    }

    @Test("The bytes of the keys of entries: thread, time, number [S-4]")
    func entries() throws {
        var entry = JournalEntry(
            id: uuid(1), threadID: uuid(2), content: "content", timestamp: Instant(microsecondsSince1970: 3))
        entry.number = 258
        #expect(try bytes(JournalEntry.byTime.keys(of: entry)) == [two + "8000000000000003" + "00000102"])
        #expect(try bytes(JournalEntry.allByTime.keys(of: entry)) == [two + "8000000000000003" + "00000102"])
    }

    @Test("The bytes of the keys of custom fields and their values [S-4]")
    func fields() throws {
        var field = CustomField(id: uuid(1), threadID: uuid(2), name: "name")
        field.position = 4
        #expect(try bytes(CustomField.byPlace.keys(of: field)) == [two + "8000000000000004"])
        #expect(try bytes([EntryFieldID(entry: uuid(1), field: uuid(2))]) == [one + two])
    }
}
