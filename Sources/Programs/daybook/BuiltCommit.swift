import Daybook
import FoundationEssentials

/// The commit that this program was built from, to be told beside a seed.
enum BuiltCommit {
    /// The scripts of the project say which commit they have built.
    static var current: String {
        ProcessInfo.processInfo.environment["DAYBOOK_COMMIT"] ?? "of version \(LibraryVersion.current)"
    }
}
