import Daybook
import Foundation

/// A temporary folder, in memory if possible, that is removed with its last reference.
final class TemporaryFolder: Sendable {
    let path: String

    init() {
        let memory = "/dev/shm"
        let root = FileManager.default.isWritableFile(atPath: memory) ? memory : NSTemporaryDirectory()
        path = "\(root)/daybook-documentation-\(Foundation.UUID().uuidString)"
        try? FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
    }

    deinit {
        try? FileManager.default.removeItem(atPath: path)
    }

    func file(_ name: String) -> String { "\(path)/\(name)" }
    func url(_ name: String) -> URL { URL(filePath: file(name)) }

    /// A new store with the system's clock and zone.
    func store() throws -> DaybookStore { try DaybookStore.open(at: file("store")) }

    /// A new store with a settable clock, and that clock.
    func storeWithClock() throws -> (DaybookStore, SettableClock) {
        let clock = SettableClock(try Instant("2026-02-10T09:15:00Z"))
        let context = Context(
            clock: clock, random: SeededRandomSource(seed: 7), zones: SettableZone(try Zone("Europe/Berlin")),
            weekStart: .monday)
        return (try DaybookStore.open(at: file("store"), context: context), clock)
    }
}

/// A folder with the YAML blocks of a page as scenario files.
struct ScenarioFolder {
    private static let folder = TemporaryFolder()

    /// The folder with the scenarios of Documentation/Testing.md.
    let path: String

    init() {
        path = Self.folder.path
        // A static variable is never released.
        atexit { try? FileManager.default.removeItem(atPath: ScenarioFolder.folder.path) }
        guard let page = try? ExampleTests.text(of: "Documentation/Testing.md") else { return }
        for (number, block) in ExampleTests.blocks("yaml", in: page).enumerated() {
            try? Data(block.utf8).write(to: URL(filePath: "\(path)/\(number).yaml"))
        }
    }
}
