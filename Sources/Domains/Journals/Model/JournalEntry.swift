import CivilTime
import FoundationEssentials
import Records

/// A place as a journal keeps it: a city and a state. Exact coordinates are never stored.
public struct EntryPlace: Sendable, Hashable, CustomStringConvertible {
    /// The city.
    public let city: String
    /// The state, the province or the country.
    public let state: String

    /// A place; what is missing or blank is called unknown.
    public init(city: String?, state: String?) {
        self.city = Self.known(city) ?? Self.unknownCity
        self.state = Self.known(state) ?? Self.unknownState
    }

    /// The place of a text such as "Berlin, Germany": what is before the first comma is the city.
    public init(_ text: String) {
        let comma = text.firstIndex(of: ",")
        self.init(
            city: String(comma.map { text[..<$0] } ?? text[...]),
            state: comma.map { String(text[text.index(after: $0)...]) })
    }

    /// The place as people see it: "City, State".
    public var description: String { "\(city), \(state)" }

    // What the store has for a missing city or state, in every language.
    private static let (unknownCity, unknownState) = ("Unknown City", "Unknown State")

    /// Whether the city is known.
    public var isCityKnown: Bool { city != Self.unknownCity }
    /// Whether the state is known.
    public var isStateKnown: Bool { state != Self.unknownState }

    private static func known(_ text: String?) -> String? {
        guard var rest = text?[...] else { return nil }
        while rest.first?.isWhitespace ?? false { rest.removeFirst() }
        while rest.last?.isWhitespace ?? false { rest.removeLast() }
        return rest.isEmpty ? nil : String(rest)
    }
}

/// An entry of a thread: what a person wrote at a time.
public struct JournalEntry: Record, Hashable {
    /// The entry's identity.
    public package(set) var id: UUID
    /// The thread that it belongs to.
    public package(set) var threadID: UUID
    /// The content, exactly as it was written. Never blank.
    public package(set) var content: String
    /// The time at which it was written first. It keeps its place in the thread by it, also when it is edited.
    public package(set) var timestamp: Instant
    /// The time of the last edit; nil if it was never edited.
    public package(set) var lastEditedAt: Instant?
    /// The time of the deletion; nil while the entry is not deleted.
    public package(set) var deletedAt: Instant?
    /// Where it was written; nil if that is not known.
    public package(set) var place: EntryPlace?
    /// The time at which the place was determined.
    public package(set) var placedAt: Instant?
    /// The zone in which it was written, where a file says so; nil for that of whoever reads it.
    public package(set) var zone: String?
    /// Decides between entries of one thread and time: the one that was inserted first has the lowest number.
    package var number: UInt32 = 0

    /// Whether it was edited.
    public var isEdited: Bool { lastEditedAt != nil }
    /// Whether it was deleted. It is kept, and is not shown.
    public var isDeleted: Bool { deletedAt != nil }

    package init(id: UUID, threadID: UUID, content: String, timestamp: Instant) {
        self.id = id
        self.threadID = threadID
        self.content = content
        self.timestamp = timestamp
    }

    /// The storage of entries.
    public static let collection = RecordCollection<JournalEntry>("entries") {
        Field(1, "thread", .uuid)
        Field(2, "content", .text)
        Field(3, "timestamp", .instant)
        Field(4, "lastEditedAt", .instant)
        Field(5, "deletedAt", .instant)
        Field(6, "locationCity", .text)
        Field(7, "locationState", .text)
        Field(8, "locationTimestamp", .instant)
        Field(9, "number", .unsigned32)
        Field(10, "zone", .text)
        inThread
        byTime
        allByTime
        byEnd
        byWord
        perThread
    }

    /// An entry goes with its thread.
    static let inThread = Reference<JournalEntry, JournalThread>("inThread", whenDeleted: .cascade, \.threadID)

    /// The entries of each thread by time, without deleted ones.
    static let byTime = Index<JournalEntry, EntryKey>("byTime") { $0.isDeleted ? nil : EntryKey($0) }

    /// The entries of each thread by time, with deleted ones.
    static let allByTime = Index<JournalEntry, EntryKey>("allByTime") { EntryKey($0) }

    /// The entries by the ends of their ids, which people type.
    static let byEnd = Index<JournalEntry, UInt32>("byEnd") { $0.id.reversedEnd }

    /// How many distinct words of an entry can be searched for.
    static let wordLimit = 1000

    /// The index of the words of entries, the newest entries first.
    static let byWord = Index<JournalEntry, WordKey<Descending<Instant>>>(
        each: "byWord", hasPendingList: true,
        unless: { $0.content == $1.content && $0.timestamp == $1.timestamp && $0.isDeleted == $1.isDeleted }
    ) { entry in
        guard !entry.isDeleted else { return [] }
        let rank = Descending(entry.timestamp)
        return Word.all(in: [entry.content], limit: wordLimit).map { WordKey($0, rank) }
    }

    /// How many entries each thread has, without deleted ones.
    static let perThread = Tally<JournalEntry, UUID>("perThread") { $0.isDeleted ? nil : $0.threadID }

    /// Decodes the fields that `encode` wrote.
    public init(id: UUID, fields: inout FieldDecoder) throws(RecordsError) {
        self.id = id
        threadID = try fields.uuid(1)
        content = try fields.string(2)
        timestamp = try fields.instant(3)
        lastEditedAt = try fields.optionalInstant(4)
        deletedAt = try fields.optionalInstant(5)
        let city = try fields.optionalString(6)
        let state = try fields.optionalString(7)
        place = city == nil && state == nil ? nil : EntryPlace(city: city, state: state)
        placedAt = try fields.optionalInstant(8)
        number = try fields.optionalUInt32(9) ?? 0
        zone = try fields.optionalString(10)
    }

    /// Writes the fields that are not at their defaults.
    public func encode(into fields: inout FieldEncoder) {
        fields.put(1, threadID)
        fields.put(2, content)
        fields.put(3, timestamp)
        fields.put(4, lastEditedAt)
        fields.put(5, deletedAt)
        fields.put(6, place?.city)
        fields.put(7, place?.state)
        fields.put(8, placedAt)
        fields.put(9, number == 0 ? nil : number)
        fields.put(10, zone)
    }

    /// The invariants that the entry violates, without any of its content.
    public var brokenInvariants: [String] {
        content.allSatisfy(\.isWhitespace) ? ["the content is blank"] : []
    }
}

/// The key of the order of entries: the thread, the time, and the order of insertion.
struct EntryKey: CompoundKey {
    let thread: UUID
    let timestamp: Instant
    let number: UInt32

    var compound: Compound<UUID, Instant, UInt32> { Compound(thread, timestamp, number) }
}

extension EntryKey {
    init(_ compound: Compound<UUID, Instant, UInt32>) { (thread, timestamp, number) = compound.parts }

    init(_ entry: JournalEntry) {
        self.init(thread: entry.threadID, timestamp: entry.timestamp, number: entry.number)
    }
}
