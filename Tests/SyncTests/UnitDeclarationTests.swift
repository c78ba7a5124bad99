import Journals
import Records
import Testing

@testable import Sync
@testable import Tasks

@Suite struct UnitDeclarationTests {
    @Test func everyFieldTravelsInAUnit() {
        let declared = [
            (SyncedCollection.tasks, TaskItem.collection.fields), (.lists, CustomList.collection.fields),
            (.links, TaskLink.collection.fields), (.threads, JournalThread.collection.fields),
            (.entries, JournalEntry.collection.fields), (.fields, CustomField.collection.fields),
            (.fieldGroups, CustomFieldGroup.collection.fields), (.fieldValues, EntryFieldValue.collection.fields),
        ]
        for (collection, fields) in declared {
            let numbers = Set(
                collection.units.flatMap(\.fields) + [collection.createdAt, collection.updatedAt].compactMap { $0 })
            let missing = fields.filter { !numbers.contains($0.number) }
            #expect(
                missing.isEmpty, "\(collection.name): \(missing.map(\.name)) are in no unit, and reach no other device")
            #expect(Set(collection.units.map(\.number)).count == collection.units.count)
            #expect(collection.units.allSatisfy { $0.number > SyncUnit.base })
        }
    }

    /// Stores and hubs hold these numbers: a change of this list is a change of the protocol.
    @Test func numbersNeverChange() {
        let tasks = SyncedCollection.tasks.units.map { "\($0.number) \($0.name) \($0.fields)" }
        #expect(
            tasks == [
                "2 text [1]", "3 note [10]", "4 category [11]", "5 reminder [15, 32, 33]", "6 list [16, 17]",
                "7 due [13, 14, 31, 35, 36]", "8 schedule [8, 9, 28, 29]", "9 position [9]", "10 listOrder [17]",
                "11 completion [2, 5, 6, 7, 12]", "12 recurrence [25, 26, 27, 34]", "13 plan [18, 19, 20]",
                "14 planOrder [20]", "15 autoCarry [21]", "16 sticky [22]", "17 expiry [23, 37]", "18 archive [24]",
                "19 extra [30, 38]", "20 touch [4]", "21 tags [39]", "22 priority [40]", "23 wait [41]",
                "24 parentTask [42, 43]", "25 subtaskOrder [43]",
            ])
        let lists = SyncedCollection.lists.units.map { "\($0.number) \($0.name) \($0.fields)" }
        #expect(lists == ["2 name [1]", "3 color [2]", "4 position [5]"])
        let others: [SyncedCollection] = [.links, .threads, .entries, .fields, .fieldGroups, .fieldValues]
        #expect(
            others.map { collection in
                "\(collection.name): "
                    + collection.units.map { "\($0.number) \($0.name) \($0.fields)" }.joined(separator: ", ")
            } == [
                "links: 2 time [1]", "threads: 2 title [1], 3 deletion [4], 4 touch [3]",
                "entries: 2 content [2, 4], 3 deletion [5], 4 place [6, 7, 8], 5 time [1, 3, 9], 6 zone [10]",
                "customFields: 2 name [2], 3 position [3], 4 kind [1, 4], 5 deletion [5]", "fieldGroups: 2 group [1]",
                "fieldValues: 2 value [1]",
            ])
    }
}
