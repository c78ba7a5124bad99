import FoundationEssentials
import Records

/// The preferences of a journal. They are durable, but neither undone nor observed.
public struct JournalSettings: Record, Hashable {
    /// Always 0: a store has one record of them.
    public let id: UInt8
    /// Whether the journal is locked until the system has recognized the person.
    public package(set) var isLockEnabled = false
    /// The size of texts in percent, 80 to 150; other numbers become the nearest of these.
    public var textSizePercentage = 100 {
        didSet { textSizePercentage = Self.clamped(textSizePercentage) }
    }
    /// Whether new entries get a place.
    public package(set) var isLocationEnabled = false
    /// The place that was found last.
    public package(set) var lastPlace: EntryPlace?

    /// For how many seconds the undo of the deletion of a thread is offered, 0 for never; nil for 5.
    public var undoSeconds: UInt32?

    /// The settings of a new store.
    public init() { id = 0 }

    /// The storage of the settings.
    public static let collection = RecordCollection<JournalSettings>("journalSettings", isTracked: false) {
        Field(1, "biometricAuthEnabled", .boolean)
        Field(2, "textSizePercentage", .unsigned8)
        Field(3, "isLocationTrackingEnabled", .boolean)
        Field(4, "lastKnownCity", .text)
        Field(5, "lastKnownState", .text)
        Field(6, "undoSeconds", .unsigned32)
    }

    /// Decodes the fields that `encode` wrote.
    public init(id: UInt8, fields: inout FieldDecoder) throws(RecordsError) {
        self.id = id
        isLockEnabled = try fields.bool(1)
        textSizePercentage = Self.clamped(Int(try fields.optionalByte(2) ?? 100))
        isLocationEnabled = try fields.bool(3)
        let city = try fields.optionalString(4)
        let state = try fields.optionalString(5)
        lastPlace = city == nil && state == nil ? nil : EntryPlace(city: city, state: state)
        undoSeconds = try fields.optionalUInt32(6)
    }

    /// Writes the fields that are not at their defaults.
    public func encode(into fields: inout FieldEncoder) {
        fields.put(1, isLockEnabled)
        fields.put(2, textSizePercentage == 100 ? nil : UInt8(textSizePercentage))
        fields.put(3, isLocationEnabled)
        fields.put(4, lastPlace?.city)
        fields.put(5, lastPlace?.state)
        fields.put(6, undoSeconds)
    }

    private static func clamped(_ percentage: Int) -> Int { min(max(percentage, 80), 150) }
}
