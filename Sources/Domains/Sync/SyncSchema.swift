import Records

/// What a store needs to take part in sync. It costs a store nothing until it belongs to a space.
public struct SyncSchema: Sendable {
    let collections: SyncedCollections

    /// The number of the collection with the stamps of tasks: for measurements of what they take.
    package static let stampsOfTasks = SyncedCollection.tasks.stamps.number

    /// The tables and the part that stamps changes.
    public let schema: Schema

    /// The tasks and lists, and record types of an application that declare their units.
    public init(_ own: [SyncedCollection] = []) { self.init(all: SyncedCollection.builtIn + own) }

    /// The tasks and lists as an older version of the program knew them: for simulations.
    package init(without units: Set<UInt16>) { self.init(all: SyncedCollection.builtIn.map { $0.without(units) }) }

    private init(all: [SyncedCollection]) {
        collections = SyncedCollections(all)
        var schema = Schema(domain: "sync")
        for collection in collections.all { schema = schema.adding(collection.schema) }
        self.schema =
            schema
            .adding(SpaceState.collection).adding(WireName.collection).adding(DeferredUnit.collection)
            .adding(WantedRecord.collection).adding(LostValue.collection)
            .following(StampingObserver(collections: collections))
    }
}
