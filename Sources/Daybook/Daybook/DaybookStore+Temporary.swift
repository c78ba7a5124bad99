import CivilTime
import FoundationEssentials
import Journals
import Records
import Tasks

extension DaybookStore {
    /// Opens a new, empty store in a new folder that is removed when nothing uses the store any more: for previews and tests. It
    /// is in memory where the system has a folder there.
    ///
    /// - Parameters:
    ///   - context: Clock, zone and random source.
    ///   - records: The collections of your own record types.
    /// - Throws: `RecordsError` when no folder can be made.
    public static func temporary(context: Context = .system, records: Schema = Schema()) throws(RecordsError)
        -> DaybookStore
    {
        try open(at: TemporaryStoreFolder(), context: context, records: records)
    }

    /// A temporary store with sample data for each screen: tasks of every view, two lists, a plan, a thread with fields.
    public static func preview(context: Context = .system) throws -> DaybookStore {
        let store = try temporary(context: context)
        let today = context.today
        try store.write { transaction in
            let tasks = transaction.tasks
            let home = try tasks.createList("Home", color: "34C759")
            let work = try tasks.createList("Work")
            func add(_ text: String, on day: Day? = nil, in list: CustomList? = nil) throws -> TaskItem {
                try tasks.create(NewTask(text, on: day, list: list?.id))
            }
            _ = try add("Read about tides")
            _ = try add("Call the dentist", in: home)
            let review = try add("Review chapter 3", on: today, in: work)
            let water = try add("Water the plants", on: today, in: home)
            let walk = try add("Walk along the river", on: today)
            _ = try add("Plan the trip", on: today.advanced(by: 1), in: home)
            _ = try add("Hand in the report", on: today.advanced(by: 5), in: work)
            try tasks.setState(review.id, to: .active)
            try tasks.place(review.id, region: .morning, bucket: .must)
            try tasks.place(water.id, region: .evening, bucket: .misc)
            try tasks.setState(walk.id, to: .completed)
            let garden = try transaction.journals.createThread("Garden", firstEntry: "The first tomatoes are red.")
            let weather = try transaction.journals.createField("Weather", in: garden.id)
            try transaction.journals.addEntry(
                NewEntry("It rained all night.", values: [weather.id: "rain"]), to: garden.id)
        }
        return store
    }
}

/// A folder for one store, removed with this value.
package final class TemporaryStoreFolder: Sendable {
    package let path: String

    package init() {
        let memory = "/dev/shm"
        let parent =
            FileManager.default.isWritableFile(atPath: memory)
            ? memory : FileManager.default.temporaryDirectory.path
        path = "\(parent)/daybook-\(String(SystemRandomSource().next(), radix: 16))"
    }

    deinit {
        try? FileManager.default.removeItem(atPath: path)
    }
}
