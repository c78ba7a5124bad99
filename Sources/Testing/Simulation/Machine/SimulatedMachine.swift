import Daybook

/// What a simulated world needs of the machine below it to let things go wrong.
///
/// The folder that is watched holds the store's folder. A machine of this library can copy files and no more
/// (``PlainMachine``); the one that `daybook simulate` brings records every call on files.
public protocol SimulatedMachine: Sendable {
    /// Whether crashes during an operation, power failures, faults and second processes can be had.
    var canFail: Bool { get }

    /// From now on calls on files below the folder are watched; what is there now counts as safely on the disk.
    func begin(watching folder: String) throws

    /// How many calls were made so far, to name a moment by.
    var callCount: Int { get }

    /// Writes into an empty folder what a crash could have left there of the watched one.
    ///
    /// - Parameters:
    ///   - calls: the calls after one of which the crash comes, numbered from 0; an empty range means now.
    ///   - choice: where exactly it comes and what is lost follows from this number.
    /// - Returns: what was chosen, in words.
    func leave(_ crash: Crash, within calls: Range<Int>, choice: UInt64, in folder: String) throws -> String

    /// Lets so many writes fail from now on; nil ends that.
    func setFault(_ fault: Fault?, writes: Int)

    /// How many calls the fault has made fail so far.
    var faultsHit: Int { get }

    /// Runs a closure in another process and waits for it. Returns what it returned.
    func runElsewhere(_ body: () -> String) throws -> String

    /// Ends the watching.
    func end()
}
