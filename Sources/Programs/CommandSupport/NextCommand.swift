/// The commands that show or repair what an error is about. The library's texts name none, since its users have no command line (D17).
enum NextCommand {
    /// Returns the text of an error with the command that helps after it.
    /// - Parameter code: the error's code.
    static func added(to text: String, code: String) -> String {
        sentence(for: code).map { "\(text) \($0)" } ?? text
    }

    /// Returns nil where the text alone says what to do.
    private static func sentence(for code: String) -> String? {
        switch code {
        case "no-such-task": "A view or an export with --json lists the ids."
        case "no-such-list": "'daybook lists' shows the lists, and 'daybook list add' creates one."
        case "no-such-thread": "'daybook journal threads' shows the threads, --deleted also the deleted ones."
        case "no-such-entry": "'daybook journal read' shows the entries of a thread with their ids."
        case "no-such-field": "'daybook journal fields' shows the fields of a thread."
        case "damaged", "damaged-record", "damaged-entry", "unreadable-field":
            "'daybook verify' shows what is damaged, 'daybook rebuild' repairs what can be repaired."
        default: nil
        }
    }
}
