/// A promise to break on purpose.
///
/// A crash lab that cannot go red proves nothing. So each promise can be broken at the one place where it is kept, and
/// the lab has to find out. Only this package can reach it: for the tests and the lab, never for a user of the library.
package enum Sabotage: String, CaseIterable, Sendable {
    /// A write returns before anything of it is flushed; the flush comes before the next write, or at close.
    case acknowledgesBeforeFlush
    /// Nothing is ever flushed.
    case neverFlushes
    /// Pages are flushed, but the meta page that makes them count is not, until the next commit's flush.
    case neverFlushesMeta
    /// A new store's entry in the parent folder is not flushed, neither by who creates it nor by who opens it.
    case skipsParentFlush
    /// Index entries are written in a second transaction, after the records.
    case indexOutsideTransaction
    /// Roll-ups are counted in a second transaction, after the records.
    case rollUpInSecondTransaction
    /// Values are taken as they are found.
    case ignoresChecksums
    /// The change log keeps its last row only, whatever undo still needs.
    case trimsLogTooEarly
    /// Each commit is flushed once more than it needs.
    case flushesTwice
    /// The first entry that a closure writes is written once more.
    case putsTwice

    /// The store is opened without Daybook's own locks, beside others that are opening it: as LMDB's tools open it.
    case opensWithoutGate
    /// The transaction that LMDB hands out is not compared with the newest meta page.
    case ignoresStaleLock
    /// Both: the store is opened as versions before the gate opened it.
    case opensUnprotected

    /// Those that only cost time, for the gate of the benchmarks.
    private static let slow: Set<Self> = [.flushesTwice, .putsTwice]
    /// Those that show only where processes die beside others.
    package static let ofProcesses: [Self] = [.opensWithoutGate, .ignoresStaleLock, .opensUnprotected]
    /// Those that lose or falsify something whatever else happens, for the crash lab's images.
    package static let harmful = allCases.filter { !slow.contains($0) && !ofProcesses.contains($0) }
}
