/// An operation of an application, as the change log names it: declare it in the schema of its domain.
///
///     Schema().adding(Reading.collection).declaring(OperationDeclaration("readings.calibrate", undoWindow: .seconds(10)))
///
/// A name that no schema declares is stored and shown as well; a declaration adds how long a person is offered to undo it.
public struct OperationDeclaration: Sendable, Hashable {
    /// The name, permanent, with its domain: "tasks.create". At most 60 bytes.
    public let name: String
    /// How long after the operation an application offers to undo it; nil for no offer. It does not limit
    /// `WriteTransaction.undo`.
    public let undoWindow: Duration?
    /// The number that stores of earlier versions have in place of the name.
    let formerNumber: UInt8?

    /// Declares an operation.
    public init(_ name: String, undoWindow: Duration? = nil) {
        self.init(name, undoWindow: undoWindow, formerNumber: nil)
    }

    package init(_ name: String, undoWindow: Duration?, formerNumber: UInt8?) {
        self.name = name
        self.undoWindow = undoWindow
        self.formerNumber = formerNumber
    }
}

/// On whose behalf a change was made. The numbers are stored; a number that this version does not know is kept.
public struct ChangeOrigin: RawRepresentable, Sendable, Hashable {
    /// The stored number.
    public let rawValue: UInt8

    /// The origin of a stored number.
    public init(rawValue: UInt8) {
        self.rawValue = rawValue
    }

    /// The person, in the application itself.
    public static let user = ChangeOrigin(rawValue: 0)
    /// The person, through another program: a shortcut, a link, an assistant.
    public static let intent = ChangeOrigin(rawValue: 1)
    /// A file that was imported.
    public static let importing = ChangeOrigin(rawValue: 2)
    /// Another device.
    public static let sync = ChangeOrigin(rawValue: 3)
    /// The turn of a day.
    public static let rollover = ChangeOrigin(rawValue: 4)
    /// The end of something's time.
    public static let expiry = ChangeOrigin(rawValue: 5)
    /// The scrub of the store, which changes no record: it has found damage.
    public static let scrub = ChangeOrigin(rawValue: 6)

    /// Whether a person's undo takes such changes back: those that the person asked for.
    public var isUndoable: Bool { rawValue <= ChangeOrigin.importing.rawValue }

    /// The name, for people.
    public var name: String {
        switch self {
        case .user: "user"
        case .intent: "intent"
        case .importing: "import"
        case .sync: "sync"
        case .rollover: "rollover"
        case .expiry: "expiry"
        case .scrub: "scrub"
        default: "origin \(rawValue)"
        }
    }
}

/// What a change was and on whose behalf it was made, stored with it.
public struct ChangeLabel: Sendable, Hashable {
    /// The operation's name, such as "tasks.create"; empty for none. Of a longer one the first 60 bytes are stored.
    public var operation: String
    /// On whose behalf.
    public var origin: ChangeOrigin

    /// A label.
    public init(operation: String = "", origin: ChangeOrigin = .user) {
        self.operation = operation
        self.origin = origin
    }
}
