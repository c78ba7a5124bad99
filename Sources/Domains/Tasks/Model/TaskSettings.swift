import CivilTime
import FoundationEssentials
import Records

/// Small preferences of an application, beside the tasks. They are durable, but neither undone nor observed.
public struct TaskSettings: Record, Hashable {
    /// Always 0: a store has one record of settings.
    public let id: UInt8
    /// Whether a person has seen the introduction.
    public var hasCompletedOnboarding = false
    /// The list that was shown last; nil for the tasks without a list.
    public var selectedListID: UUID?
    /// The appearance that a person has chosen.
    public var appearance = Appearance.system
    /// Whether the system lets the application show notifications.
    public var notificationPermission = NotificationPermission.notDetermined
    /// What views and timelines show until a person chooses something else.
    public var focus = TaskFocus()

    /// For how many seconds the undo of a move or a change of state is offered, 0 for never; nil for 3.
    public var undoSeconds: UInt32?
    /// For how many seconds the undo of a deletion is offered; nil and 0 for never.
    public var undoSecondsOfDeletion: UInt32?

    /// How an application looks.
    public enum Appearance: UInt8, Sendable, Hashable, CaseIterable {
        /// As the system does.
        case system
        /// Bright.
        case light
        /// Dark.
        case dark
    }

    /// What the system allows.
    public enum NotificationPermission: UInt8, Sendable, Hashable, CaseIterable {
        /// Nobody was asked yet.
        case notDetermined
        /// Notifications are not shown. Reminders are stored, and armed when this changes.
        case denied
        /// Notifications are shown.
        case granted
    }

    /// The settings of a new store.
    public init() { id = 0 }

    /// The storage of settings.
    public static let collection = RecordCollection<TaskSettings>("settings", isTracked: false) {
        Field(1, "hasCompletedOnboarding", .boolean)
        Field(2, "selectedListID", .uuid)
        Field(3, "appearance", .cases(of: Appearance.self))
        Field(4, "notificationPermission", .cases(of: NotificationPermission.self))
        Field(5, "focusLists", .text)
        Field(6, "focusRegion", .cases(of: TaskRegion.self))
        Field(7, "undoSeconds", .unsigned32)
        Field(8, "undoSecondsOfDeletion", .unsigned32)
    }

    /// Decodes the fields that `encode` wrote; a value that only a newer version defines reads as the default.
    public init(id: UInt8, fields: inout FieldDecoder) throws(RecordsError) {
        self.id = id
        hasCompletedOnboarding = try fields.bool(1)
        selectedListID = try fields.optionalUUID(2)
        appearance = try fields.optionalByte(3).flatMap(Appearance.init) ?? .system
        notificationPermission = try fields.optionalByte(4).flatMap(NotificationPermission.init) ?? .notDetermined
        focus = TaskFocus(
            lists: TaskFocus.lists(of: try fields.optionalString(5)),
            region: try fields.optionalByte(6).map(TaskRegion.init(rawValue:)))
        undoSeconds = try fields.optionalUInt32(7)
        undoSecondsOfDeletion = try fields.optionalUInt32(8)
    }

    /// Writes the fields that are not at their defaults.
    public func encode(into fields: inout FieldEncoder) {
        fields.put(1, hasCompletedOnboarding)
        fields.put(2, selectedListID)
        fields.put(3, appearance == .system ? nil : appearance.rawValue)
        fields.put(4, notificationPermission == .notDetermined ? nil : notificationPermission.rawValue)
        fields.put(5, focus.listText)
        fields.put(6, focus.region?.rawValue)
        fields.put(7, undoSeconds)
        fields.put(8, undoSecondsOfDeletion)
    }
}

extension TaskReading {
    /// Returns the settings, without lists that were deleted: where the only list of a focus was, everything is shown.
    public func settings() throws -> TaskSettings {
        var settings = try transaction[TaskSettings.self].get(0) ?? TaskSettings()
        if let list = settings.selectedListID, try self.list(list) == nil { settings.selectedListID = nil }
        settings.focus.lists = try settings.focus.lists.filter { try self.list($0) != nil }
        return settings
    }
}

extension TaskTransaction {
    /// Changes the settings.
    @discardableResult
    public func changeSettings(_ change: (inout TaskSettings) -> Void) throws -> TaskSettings {
        var settings = try reading.settings()
        change(&settings)
        try transaction.put(settings)
        return settings
    }
}

extension TaskList {
    /// Returns the settings.
    public func settings() throws(TaskError) -> TaskSettings { try view { try $0.settings() } }

    /// Changes the settings. It cannot be undone.
    @discardableResult
    public func changeSettings(
        _ change: @escaping @Sendable (inout TaskSettings) -> Void
    ) async throws(TaskError) -> TaskSettings {
        try await write(.several) { try $0.changeSettings(change) }
    }
}
