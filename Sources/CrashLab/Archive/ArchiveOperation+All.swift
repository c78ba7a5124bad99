import Archive
import Daybook
import Tasks

extension ArchiveOperation {
    /// A snapshot and a restore belong here as well, once there are such.
    static let all: [ArchiveOperation] = [
        ArchiveOperation(name: "export", promise: .file(exported), prepare: fill) { place in
            try export(at: place, overwrite: false)
        },
        ArchiveOperation(
            name: "export over a file", promise: .file(exported),
            prepare: { place in
                try fill(place)
                try FolderFiles.write(Array("what was there before\n".utf8), to: place.path(exported))
            },
            begin: { place in try export(at: place, overwrite: true) }),
        ArchiveOperation(name: "import", promise: .store) { place in
            let store = try LabStore(at: place.store)
            return { try LabImport.perform(in: store) }
        },
    ]

    private static let exported = "tasks.json"

    /// Tasks enough for a file of several pages.
    private static func fill(_ place: ArchivePlace) throws {
        let store = try LabStore(at: place.store)
        for number in 500..<520 { try store.perform(.create(number, on: nil, noteLength: 400)) }
        store.close()
    }

    private static func export(at place: ArchivePlace, overwrite: Bool) throws -> () throws -> Void {
        let daybook = try place.daybook()
        let path = place.path(exported)
        return {
            let file = try AtomicFile(path: path, overwrite: overwrite, sabotage: place.sabotage)
            // In parts that are no whole pages, as a larger export has them.
            try daybook.export(as: .json) { (bytes) throws(ArchiveError) in
                for start in stride(from: 0, to: bytes.count, by: 5000) {
                    try file.write(Array(bytes[start..<min(start + 5000, bytes.count)]))
                }
            }
            try file.commit()
        }
    }
}
