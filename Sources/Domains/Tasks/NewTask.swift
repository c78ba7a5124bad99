import CivilTime
import FoundationEssentials

/// A task to be created. Only the text is needed.
public struct NewTask: Sendable, Hashable {
    /// What is to be done.
    public var text: String
    /// The day it is to be done; nil for the Inbox.
    public var day: Day?
    /// Anything more to say.
    public var notes: String?
    /// An id from outside; nil for a new one.
    public var id: UUID?

    /// A task to be created.
    public init(_ text: String, on day: Day? = nil, notes: String? = nil, id: UUID? = nil) {
        self.text = text
        self.day = day
        self.notes = notes
        self.id = id
    }
}
