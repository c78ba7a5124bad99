import CivilTime
import Foundation
import Testing

@testable import Records
@testable import Tasks

/// Keys as the first version that had them wrote them. A test that fails here means that stores which people have would be misread.
@Suite struct KeyBytesTests {
    private func bytes(_ keys: [some OrderedKey]) throws -> [String] {
        for key in keys {
            let written = key.keyBytes
            var decoder = KeyDecoder(written.bytes)
            #expect(try type(of: key).init(decoding: &decoder).keyBytes == written)
            #expect(
                type(of: key).hasFixedWidth
                    ? written.count == type(of: key).width : written.count <= type(of: key).width)
        }
        return keys.map(\.keyBytes.hexadecimal)
    }

    private let task: TaskItem = {
        var task = TaskItem(id: uuid(1), text: "text", createdAt: Instant(microsecondsSince1970: 1))
        task.state = .completed
        task.scheduledDate = Day(clampingDaysSince1970: 1)
        task.position = 5
        task.listID = uuid(2)
        task.listOrder = -1
        task.region = .afternoon
        task.bucket = .complementary
        task.planOrder = 7
        task.isSticky = true
        task.autoCarry = true
        task.category = "Área"
        task.parentTaskID = uuid(3)
        task.subtaskOrder = 9
        return task
    }()

    @Test("The bytes of the keys of a day's view: day, rank of the state, position; the Inbox before every day [S-4]")
    func days() throws {
        var task = task
        #expect(try bytes(TaskItem.byDay.keys(of: task)) == ["80000001" + "02" + "8000000000000005"])
        #expect(try bytes([task.group]) == ["80000001" + "02"])
        task.state = .active
        #expect(try bytes(TaskItem.byCarry.keys(of: task)) == ["80000001" + "00" + "8000000000000005"])
        task.scheduledDate = nil
        #expect(try bytes(TaskItem.byDay.keys(of: task)) == ["00000000" + "00" + "8000000000000005"])
    }

    @Test("The bytes of the keys of states and categories [S-4]")
    func states() throws {
        #expect(try bytes(TaskItem.byState.keys(of: task)) == ["02" + "8000000000000001"])
        #expect(try bytes(TaskItem.byCategory.keys(of: task)) == ["6172656100" + "02" + "7ffffffffffffffe"])
    }

    @Test("The bytes of the keys of plans: day, region, sticky tasks first, bucket, position [S-4]")
    func plans() throws {
        var task = task
        #expect(try bytes(TaskItem.byPlan.keys(of: task)) == ["80000001" + "01" + "00" + "01" + "8000000000000007"])
        task.isSticky = false
        #expect(try bytes(TaskItem.byPlan.keys(of: task)) == ["80000001" + "01" + "01" + "01" + "8000000000000007"])
        #expect(try bytes([#require(task.placedBucket)]) == ["80000001" + "01" + "01"])
    }

    @Test("The bytes of the keys of lists, subtasks and links [S-4]")
    func orders() throws {
        let (second, third) = ("00000000000000000000000000000002", "00000000000000000000000000000003")
        #expect(try bytes(TaskItem.byList.keys(of: task)) == [second + "7fffffffffffffff"])
        #expect(try bytes(TaskItem.byDetail.keys(of: task)) == ["00" + third + "8000000000000009"])
        #expect(try bytes([TaskLinkID(blocked: uuid(2), blocker: uuid(3))]) == [second + third])
    }
}
