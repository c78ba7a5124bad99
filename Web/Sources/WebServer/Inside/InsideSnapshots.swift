import Daybook
import FoundationEssentials

// Snapshots in a folder: list, create, verify, restore into a new folder.
extension StoreInspector {
    func snapshots(in folder: String?) throws -> JSONTree {
        let folder = folder.flatMap { $0.isEmpty ? nil : $0 } ?? InsideWork.suggestedFolder(for: store.path)
        let values = ValueText(zone: zone)
        var files: [JSONTree] = []
        var text: String?
        if FileManager.default.fileExists(atPath: folder) {
            files = try StoreFiles.list(URL(filePath: folder)).suffix(Self.pageLimit).reversed().map { entry in
                .object([
                    "name": .text(entry.name), "size": .text(entry.bytes.asBytes),
                    "at": .text(entry.header.map { values.text(of: $0.instant) }),
                    "text": .text(Self.text(of: entry)), "complete": .flag(entry.header != nil && entry.isComplete),
                ])
            }
            if files.isEmpty { text = "There are no snapshots in \(folder)" }
        } else {
            text = "There is no folder \(folder) yet: the first snapshot creates it."
        }
        return .object(["folder": .text(folder), "snapshots": .list(files), "text": .text(text)])
    }

    private static func text(of entry: SnapshotListing) -> String {
        let kind =
            switch entry.state {
            case .unreadable(let reason): "not readable: \(reason)"
            case .readable(let header) where header.isIncremental:
                entry.base.map {
                    "changes since \($0)" + (entry.isComplete ? "" : ", which needs a snapshot that is not here")
                } ?? "changes since a snapshot that is not here"
            case .readable: "whole"
            }
        return kind + (entry.header?.isEncrypted == true ? ", encrypted" : "")
    }
}

extension InsideWork {
    /// What a page asks for.
    struct SnapshotRequest: Decodable, Sendable {
        /// The folder of the snapshots.
        var folder: String
        /// The name of one.
        var file: String?
        /// The folder of the new store.
        var target: String?
    }

    /// The folder that is suggested for snapshots: beside the store.
    static func suggestedFolder(for path: String) -> String { "\(path)-snapshots" }

    func snapshots(_ kind: String, _ request: SnapshotRequest) throws -> Run {
        let (open, context) = (open, context)
        let folder = request.folder.isEmpty ? Self.suggestedFolder(for: path) : request.folder
        if kind == "snapshot" {
            let path = "\(folder)/\(Self.fileName(at: context.clock.wall))"
            return { update in
                try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
                let options = SnapshotOptions(progress: { try update($0.done, $0.total) })
                return (Self.text(of: try open().files.snapshot(to: path, options: options)), [])
            }
        }
        guard let file = request.file, !file.isEmpty, !file.contains("/") else {
            throw InvalidRequest("Choose a snapshot of the list.")
        }
        let path = "\(folder)/\(file)"
        if kind == "check" {
            return { update in
                do {
                    let summary = try StoreFiles.verify(URL(filePath: path)) { try update($0.done, $0.total) }
                    return (Self.text(of: summary), [])
                } catch let error as FileError where error.isDamage {
                    return ("1 problem: it could not be restored from where it is.", [error.description])
                }
            }
        }
        guard let target = request.target, !target.isEmpty else {
            throw InvalidRequest("Name the folder of the new store.")
        }
        guard !Self.isInside(target, self.path) else {
            throw InvalidRequest("This is the folder of the open store, or inside it. Choose another folder.")
        }
        return { update in
            do {
                let options = RestoreOptions(progress: { try update($0.done, $0.total) })
                let report = try StoreFiles.restore(path, to: target, context: context, options: options)
                return ("Restored \(report.records) records to \(target), all checked", [])
            } catch FileError.targetExists(let path) {
                throw Refusal(text: "\(path) exists and was not changed. Choose another folder.")
            }
        }
    }

    private static func text(of summary: SnapshotSummary) -> String {
        let manifest = summary.manifest
        let base = manifest.base.map {
            ". It contains the changes since \($0.fileName); a restore reads \(summary.chainLength) files"
        }
        return "\(summary.path): \(summary.bytes.asBytes), \(manifest.recordCount) records, all checked\(base ?? "")"
    }

    private static func fileName(at instant: Instant) -> String {
        let seconds = instant.description.split(separator: ".")[0].replacing("Z", with: "").replacing(":", with: "")
        return "daybook-\(seconds)Z.snapshot"
    }

    private static func isInside(_ path: String, _ folder: String) -> Bool {
        func resolved(_ path: String) -> String {
            URL(filePath: path).standardizedFileURL.resolvingSymlinksInPath().path
        }
        return resolved(path) == resolved(folder) || resolved(path).hasPrefix(resolved(folder) + "/")
    }
}

/// Why a job was refused, for people.
struct Refusal: Error, Sendable {
    let text: String
}
