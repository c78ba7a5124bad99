import Injection

extension InjectionPoint {
    // MARK: Operations on tasks that are one transaction

    /// A list is deleted in a second transaction, after its tasks.
    package static var listAfterItsTasks: Self { Self() }
    /// The next occurrence of a recurring task is created in a second transaction, after its completion.
    package static var occurrenceOutsideTransaction: Self { Self() }
    /// A rollover carries each task in a transaction by itself.
    package static var rollsOverOneByOne: Self { Self() }
    /// The tasks that have expired are archived in a transaction each.
    package static var archivesOneByOne: Self { Self() }

    // MARK: Rules of tasks

    /// A bucket takes more open tasks than it may have.
    package static var overfillsBuckets: Self { Self() }
    /// A rollover carries the tasks of yesterday, and none of earlier days.
    package static var rollsOverOnlyYesterday: Self { Self() }
    /// The next occurrence of a task has an id of no meaning.
    package static var drawsOccurrenceIDs: Self { Self() }
    /// A list is deleted, and its tasks are not.
    package static var keepsTasksOfLists: Self { Self() }
    /// That a reminder was delivered is not noted.
    package static var forgetsDeliveries: Self { Self() }
}
