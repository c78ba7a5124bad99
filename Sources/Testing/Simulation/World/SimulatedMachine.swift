import Daybook
import FoundationEssentials
import Threading

/// What a simulated world needs from the machine below it to inject crashes and faults.
///
/// The watched folder contains the store's folder. ``PlainMachine`` can only copy files; `daybook simulate` uses a
/// machine that records every file system call.
public protocol SimulatedMachine: Sendable {
    /// Whether crashes during an operation, power failures, faults and second processes are available.
    var canFail: Bool { get }

    /// Starts recording calls on files below the folder; its present content counts as durable.
    func begin(watching folder: String) throws

    /// The number of calls so far, which identifies a moment.
    var callCount: Int { get }

    /// Writes what a crash could have left of the watched folder into an empty folder.
    ///
    /// - Parameters:
    ///   - calls: the calls after one of which the crash comes, numbered from 0; an empty range means now.
    ///   - choice: determines the exact moment and what is lost.
    /// - Returns: a description of what was chosen.
    func leave(_ crash: Crash, within calls: Range<Int>, choice: UInt64, in folder: String) throws -> String

    /// Lets the given number of writes fail from now on; nil stops that.
    func setFault(_ fault: Fault?, writes: Int)

    /// The number of calls that the fault has failed so far.
    var faultsHit: Int { get }

    /// Runs a closure in another process, waits for it and returns its result.
    func runElsewhere(_ body: () -> String) throws -> String

    /// Stops recording.
    func end()
}

/// A machine that can only copy files: enough for a process that dies between two operations.
public final class PlainMachine: SimulatedMachine {
    private let watched = ForkSafeMutex("")

    /// Creates a machine.
    public init() {}

    /// False.
    public var canFail: Bool { false }

    /// Remembers the folder.
    public func begin(watching folder: String) throws {
        watched.withLock { $0 = folder }
    }

    /// Always 0.
    public var callCount: Int { 0 }

    /// Copies the files as they are: what a process leaves behind if it dies now. Throws for everything else.
    public func leave(_ crash: Crash, within calls: Range<Int>, choice: UInt64, in folder: String) throws -> String {
        guard crash == .process, calls.isEmpty else {
            throw SimulationError.machineCannot("a crash other than a process's death between two operations")
        }
        let source = watched.withLock { $0 }
        for path in try FileManager.default.subpathsOfDirectory(atPath: source) {
            // Opening the lock file of an open store would release this process's locks; a dead process has none
            // anyway.
            if path.hasSuffix("lock.mdb") { continue }
            var isFolder = false
            _ = FileManager.default.fileExists(atPath: "\(source)/\(path)", isDirectory: &isFolder)
            if isFolder {
                try FileManager.default.createDirectory(
                    atPath: "\(folder)/\(path)", withIntermediateDirectories: true)
            } else {
                try FileManager.default.copyItem(atPath: "\(source)/\(path)", toPath: "\(folder)/\(path)")
            }
        }
        return "between two operations"
    }

    /// Does nothing: callers check `canFail` first.
    public func setFault(_ fault: Fault?, writes: Int) {}

    /// Always 0.
    public var faultsHit: Int { 0 }

    /// Always throws.
    public func runElsewhere(_ body: () -> String) throws -> String {
        throw SimulationError.machineCannot("a second process")
    }

    /// Does nothing.
    public func end() {}
}
