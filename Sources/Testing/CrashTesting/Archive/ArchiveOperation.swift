import ByteStreams
import CivilTime
import Daybook
import Injection

/// Work on files beside a store, done at one go, and what a crash of it may leave.
struct ArchiveOperation: Sendable {
    enum Promise: Sendable {
        /// A file of that name is whole: as it was, or as it is to be. The store is left alone.
        case file(String)
        /// A folder of that name holds what it held, or the store that it is to hold, whole. What a new store takes the
        /// place of is kept in a folder beside it; nothing else is touched.
        case folder(String)
        /// The store holds one of the states that it goes through, and the work is completed by doing it again.
        case store
    }

    let name: String
    let promise: Promise
    /// Makes what lies beside the store at first.
    var prepare: @Sendable (ArchivePlace) throws -> Void = { _ in }
    /// Opens what is needed, and returns the work itself.
    let begin: @Sendable (ArchivePlace) throws -> () throws -> Void

    /// Images of a store that changes are those of the workloads that end with an import.
    var hasImages: Bool {
        if case .store = promise { false } else { true }
    }

    static func named(_ name: some StringProtocol) -> ArchiveOperation? { all.first { $0.name == name } }
}

/// Where an operation works: a folder with a store, and beside it what the operation reads and makes.
struct ArchivePlace: Sendable {
    let folder: String
    /// The promise that the operation is to break.
    var sabotage: InjectionPoint?

    var store: String { "\(folder)/\(Recording.storePath)" }
    func path(_ name: String) -> String { "\(folder)/\(Self.home)/\(name)" }

    /// The folder that holds all of it.
    static let home = DiskImage.folder(of: Recording.storePath)

    /// The store as a program has it.
    func daybook() throws -> DaybookStore { try LabStore(at: store).daybook() }
}
