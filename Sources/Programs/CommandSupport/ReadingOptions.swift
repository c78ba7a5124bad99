import ArgumentParser
import Daybook
import FoundationEssentials
import Threading

/// The options of commands that only read.
package struct ReadingOptions: ParsableArguments {
    @Flag(help: "Of a damaged store, show what is intact, name what is not, and exit with 1.")
    package var skipDamaged = false

    package init() {}

    /// The session of a command: with `--skip-damaged` on a copy of what is intact, if the store is damaged.
    package func session(_ options: GlobalOptions) throws -> Session {
        let session = try options.session()
        guard skipDamaged else { return session }
        return try IntactCopy.make(for: session) ?? session
    }
}

/// A temporary copy of what a damaged store still holds, for the one command of this process.
///
/// A page that is damaged can hide any part of a store from a view. So nothing is skipped while reading: everything that is intact
/// is salvaged into a separate store first, which the command reads like any other.
enum IntactCopy {
    private struct State {
        var folder: String?
        var isComplete = true
    }

    private static let state = ForkSafeMutex(State())

    /// Makes the copy and reports what is missing in it; nil when the store is not there, or not damaged.
    static func make(for session: Session) throws -> Session? {
        guard FileManager.default.fileExists(atPath: "\(session.path)/data.mdb") else { return nil }
        // A store with damaged pages is not opened: damaged lengths can end the process.
        guard try DaybookStore.hasValidPages(at: session.path) else { return try salvage(session) }
        do {
            let isClean = try session.withReader(changesNothing: true) { try $0.verify().isClean }
            return isClean == false ? try salvage(session) : nil
        } catch let error as RecordsError where error.isDamage {
            return try salvage(session)
        } catch RecordsError.notAStore, RecordsError.manifestMissing {
            return try salvage(session)
        }
    }

    private static func salvage(_ session: Session) throws -> Session {
        let folder = try ScratchFolder.make(for: "intact")
        state.withLock { $0.folder = folder }
        let report = try StoreFiles.salvage(session.path, to: "\(folder)/store", context: session.context)
        state.withLock { $0.isComplete = report.isComplete }
        for collection in report.collections {
            let lost = collection.missingKeys + collection.quarantinedKeys
            for key in lost { Output.report("\(collection.name) \(key) is damaged and left out") }
            let unnamed = collection.missing - collection.missingKeys.count
            if unnamed > 0 { Output.report("\(collection.name): at least \(unnamed) more are damaged and left out") }
        }
        return Session(path: "\(folder)/store", context: session.context)
    }

    /// Removes the copy. Returns whether it had everything.
    static func remove() -> Bool {
        let last = state.withLock { $0 }
        if let folder = last.folder { try? FileManager.default.removeItem(atPath: folder) }
        return last.isComplete
    }
}
