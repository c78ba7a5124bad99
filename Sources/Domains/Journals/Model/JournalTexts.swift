import CivilTime

/// The texts about journals that an application shows to people. Every function has an English default: conform a type of your own
/// and implement those that you translate.
///
///     struct GermanTexts: JournalTexts {
///         func deletionQuestion(of thread: ThreadSummary) -> String { "„\(thread.thread.title)“ löschen?" }
///     }
public protocol JournalTexts: Sendable {
    /// The text for a journal without threads.
    var emptyJournal: String { get }

    /// The text for a thread without entries.
    var emptyThread: String { get }

    /// How many entries there are.
    func count(ofEntries count: Int) -> String

    /// The question that a person is asked before a thread is deleted.
    func deletionQuestion(of thread: ThreadSummary) -> String

    /// What an undo notice says was done.
    func undoNotice(for notice: ThreadUndoNotice) -> String

    /// A time as people see it, with a note if the entry was edited.
    func displayTime(_ time: String, isEdited: Bool) -> String

    /// A place as people see it; a city or a state that is not known is nil.
    func name(ofCity city: String?, state: String?) -> String

    /// Why an entry has no place.
    func text(for error: PlaceError) -> String

    /// What a person sees after turning places on.
    func text(for status: LocationStatus) -> String
}

/// The English texts.
public struct EnglishJournalTexts: JournalTexts {
    /// Creates the texts.
    public init() {}
}

extension JournalTexts {
    /// "No threads yet. Begin one to write about something."
    public var emptyJournal: String { "No threads yet. Begin one to write about something." }

    /// "No entries yet. Write the first one."
    public var emptyThread: String { "No entries yet. Write the first one." }

    /// Returns "1 entry", or "3 entries".
    public func count(ofEntries count: Int) -> String { count == 1 ? "1 entry" : "\(count) entries" }

    /// Returns a question such as "Delete 'Garden'? This will also delete all 3 entries."
    public func deletionQuestion(of thread: ThreadSummary) -> String {
        let question = "Delete '\(thread.thread.title)'?"
        switch thread.entries {
        case 0: return "\(question) It has no entries."
        case 1: return "\(question) This will also delete 1 entry."
        default: return "\(question) This will also delete all \(count(ofEntries: thread.entries))."
        }
    }

    /// Returns "Thread deleted".
    public func undoNotice(for notice: ThreadUndoNotice) -> String { "Thread deleted" }

    /// Returns the time, with " (edited)" after it if the entry was edited.
    public func displayTime(_ time: String, isEdited: Bool) -> String { isEdited ? "\(time) (edited)" : time }

    /// Returns "City, State", with "Unknown City" or "Unknown State" for what is not known.
    public func name(ofCity city: String?, state: String?) -> String {
        "\(city ?? "Unknown City"), \(state ?? "Unknown State")"
    }

    /// Returns a text such as "Location request timed out".
    public func text(for error: PlaceError) -> String { error.description }

    /// Returns the name of the place, "Location unavailable", or why there is none.
    public func text(for status: LocationStatus) -> String {
        switch status {
        case .denied: text(for: PlaceError.denied)
        case .found(let place): name(of: place)
        case .unavailable: "Location unavailable"
        }
    }

    /// Returns a place as people see it.
    public func name(of place: EntryPlace) -> String {
        name(ofCity: place.isCityKnown ? place.city : nil, state: place.isStateKnown ? place.state : nil)
    }
}
