import ByteStreams
import Exchange
import Foundation
import Snapshots

@testable import CrashTesting

/// A restore in its simplest form: copies a store beside the target, flushes it, and puts it in place. The lab checks
/// any restore in the same way. (Opening a store that was not flushed may end the process, so that is not among the
/// faults.)
enum CopyingRestore {
    enum Fault: CaseIterable {
        /// The old store is removed before the new one is in place.
        case removesFirst
        case skipsFolderFlush
        /// The old store is not kept.
        case forgetsOldStore
    }

    static func operation(replacing: Bool, _ fault: Fault? = nil) -> FileOperation {
        FileOperation(
            name: "copying restore", promise: .folder("restored"),
            prepare: { place in
                try copy(place.store, to: place.path("backup"))
                if replacing { try copy(place.store, to: place.path("restored")) }
                let store = try LabStore(at: place.path("backup"))
                try store.perform(.create(700, on: nil, noteLength: 0))
                store.close()
            },
            begin: { place in
                {
                    let name = place.path("restored")
                    if !replacing, FileJudge.isStore(name) { return }
                    try restore(place.path("backup"), to: name, in: place.path(""), fault)
                }
            })
    }

    private static func restore(_ backup: String, to target: String, in home: String, _ fault: Fault?) throws {
        // A unique name: what a crash has left under another one may be the replaced store.
        let number = try FileManager.default.contentsOfDirectory(atPath: home).count
        let draft = "\(home)/.restored.restoring-\(number)"
        var isDraft = true
        do {
            try fill(draft, from: backup, toReplace: target, in: home, fault, number, &isDraft)
        } catch {
            if isDraft { try? FileManager.default.removeItem(atPath: draft) }
            throw FileError.system(path: target, code: EIO)
        }
    }

    private static func fill(
        _ draft: String, from backup: String, toReplace target: String, in home: String, _ fault: Fault?,
        _ number: Int, _ isDraft: inout Bool
    ) throws {
        try copy(backup, to: draft)
        for file in ["data.mdb", "store.json"] { try flush("\(draft)/\(file)") }
        try flush(draft)
        guard FileJudge.isStore(target) else {
            try check(rename(draft, target))
            isDraft = false
            if fault != .skipsFolderFlush { try flush(home) }
            return
        }
        let old = "\(target).replaced-\(number)"
        if fault == .removesFirst {
            try check(rename(target, old))
            try check(rename(draft, target))
        } else {
            try check(renameat2(AT_FDCWD, draft, AT_FDCWD, target, DiskHistory.exchangeFlag))
            isDraft = false
            if fault == .forgetsOldStore {
                try flush(home)
                for file in ["data.mdb", "lock.mdb", "store.json", "commits"] { unlink("\(draft)/\(file)") }
                try check(rmdir(draft))
            } else {
                try check(rename(draft, old))
            }
        }
        if fault != .skipsFolderFlush { try flush(home) }
    }

    private static func copy(_ store: String, to folder: String) throws {
        try check(mkdir(folder, 0o700))
        for file in ["data.mdb", "store.json"] {
            guard let bytes = FolderFiles.bytes(of: "\(store)/\(file)") else { throw POSIXError(.EIO) }
            try FolderFiles.write(bytes, to: "\(folder)/\(file)")
        }
    }

    private static func flush(_ path: String) throws {
        let descriptor = open(path, O_RDONLY)
        try check(descriptor)
        defer { close(descriptor) }
        try check(fsync(descriptor))
    }

    private static func check(_ result: Int32) throws {
        if result < 0 { throw POSIXError(POSIXErrorCode(rawValue: errno) ?? .EIO) }
    }
}
