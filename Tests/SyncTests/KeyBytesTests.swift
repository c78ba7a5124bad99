import Foundation
import Records
import Testing

@testable import Sync
@testable import Tasks

/// Keys as the first version that had them wrote them. A test that fails here means that stores which people have would be misread.
@Suite struct KeyBytesTests {
    @Test("The bytes of the ids of deferred units and of stamps [S-4]")
    func identifiers() throws {
        let record = UUID(high: 1, low: 2)
        #expect(DeferredUnit.ID(record: record, unit: 0x0304).keyArray == record.keyArray + [3, 4])
        let bytes = [5] + record.keyArray
        #expect(try RecordStamps<TaskItem>.ID(keyArray: bytes).keyArray == bytes)
        #expect((DeferredUnit.ID.width, RecordStamps<TaskItem>.ID.width) == (18, 17))
    }
}
