import Daybook
import FoundationEssentials
import Threading

/// A machine that can copy files: enough for a process that dies between two operations.
public final class PlainMachine: SimulatedMachine {
    private let watched = ForkSafeMutex("")

    /// A machine.
    public init() {}

    /// False.
    public var canFail: Bool { false }

    /// Remembers the folder.
    public func begin(watching folder: String) throws {
        watched.withLock { $0 = folder }
    }

    /// Always 0.
    public var callCount: Int { 0 }

    /// Copies the files as they are: what a process leaves that dies now. Refuses everything else.
    public func leave(_ crash: Crash, within calls: Range<Int>, choice: UInt64, in folder: String) throws -> String {
        guard crash == .process, calls.isEmpty else {
            throw SimulationError.machineCannot("a crash other than a process's death between two operations")
        }
        let source = watched.withLock { $0 }
        for path in try FileManager.default.subpathsOfDirectory(atPath: source) {
            // Reading the lock file of a store that is open would take its locks away; a process's locks die with it.
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

    /// Does nothing: a world asks `canFail` before.
    public func setFault(_ fault: Fault?, writes: Int) {}

    /// Always 0.
    public var faultsHit: Int { 0 }

    /// Refuses.
    public func runElsewhere(_ body: () -> String) throws -> String {
        throw SimulationError.machineCannot("a second process")
    }

    /// Nothing was watched.
    public func end() {}
}
