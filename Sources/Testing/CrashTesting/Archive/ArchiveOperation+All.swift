import ByteStreams
import Daybook
import Injection
import Tasks

extension ArchiveOperation {
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
        ArchiveOperation(name: "snapshot", promise: .file(snapshot), prepare: fill) { place in
            let daybook = try place.daybook()
            return { try daybook.archive.snapshot(to: place.path(snapshot)) }
        },
        ArchiveOperation(name: "restore", promise: .folder(restored), prepare: makeSnapshot) { place in
            { try DaybookStore.restore(place.path(snapshot), to: place.path(restored)) }
        },
        ArchiveOperation(
            name: "restore over a store", promise: .folder(restored),
            prepare: { place in
                try makeSnapshot(place)
                let other = try LabStore(at: place.path(restored))
                try other.perform(.create(900, on: nil, noteLength: 0))
                other.close()
            },
            begin: { place in
                {
                    let options = RestoreOptions(replacing: true)
                    try DaybookStore.restore(place.path(snapshot), to: place.path(restored), options: options)
                }
            }),
    ]

    private static let exported = "tasks.json"
    private static let snapshot = "one.snapshot"
    private static let restored = "restored"

    private static func makeSnapshot(_ place: ArchivePlace) throws {
        try fill(place)
        try place.daybook().archive.snapshot(to: place.path(snapshot))
    }

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
            let file = try AtomicFile(
                path: path, overwrite: overwrite, injectionPoint: ArmedInjectionPoints(place.sabotage))
            // In parts that are no whole pages, as a larger export has them.
            try daybook.export(as: .json) { (bytes) throws(FileError) in
                for start in stride(from: 0, to: bytes.count, by: 5000) {
                    try file.write(Array(bytes[start..<min(start + 5000, bytes.count)]))
                }
            }
            try file.commit()
        }
    }
}
