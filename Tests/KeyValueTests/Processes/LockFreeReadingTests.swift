import Foundation
import Injection
import TestSupport
import Testing

@testable import KeyValue

/// A store that another process has open and changes, opened here as where the lock file cannot be used.
private final class DisturbedStore {
    static let keyCount = 300

    private let folder = TemporaryFolder()
    let writer: ChildProcess
    let reader: Environment
    let table: Table

    init(_ injectionPoint: InjectionPoint? = nil) throws {
        writer = try ChildProcess()
        let path = folder.file("store")
        #expect(try writer.ask("open \(path)") == "ok")
        #expect(try writer.ask("rewrite \(Self.keyCount) 3") == "ok")
        // The writer keeps the file that it has mapped. Not even root can open a folder as a lock file.
        try FileManager.default.moveItem(atPath: "\(path)/lock.mdb", toPath: folder.file("moved.mdb"))
        try FileManager.default.createDirectory(atPath: "\(path)/lock.mdb", withIntermediateDirectories: false)
        var configuration = EnvironmentConfiguration(isReadOnly: true)
        configuration.injectionPoint = ArmedInjectionPoints(injectionPoint)
        reader = try Environment.open(at: path, configuration: configuration)
        table = try reader.openTables(["main"])[0]
    }

    /// Reads all values, with commits after half of them in the first readings. Returns the different values, and how often it
    /// has read.
    func read(disturbing disturbed: Int, commits: Int) throws -> (values: Set<[UInt8]>, readings: Int) {
        var readings = 0
        let values = try reader.read { transaction in
            readings += 1
            var values: Set<[UInt8]> = []
            for number in 0..<Self.keyCount {
                if number == Self.keyCount / 2, readings <= disturbed {
                    #expect(try writer.ask("rewrite \(Self.keyCount) \(commits)") == "ok")
                }
                let key: [UInt8] = [UInt8(number / 256), UInt8(number % 256)]
                try values.insert(transaction.value(of: key, in: table) ?? [])
            }
            return values
        }
        return (values, readings)
    }
}

struct LockFreeReadingTests {
    @Test("A reader without the lock file sees one state, and begins again when its pages may have been reused [S-76]")
    func oneState() throws {
        let store = try DisturbedStore()
        #expect(store.reader.lockFileProblem != nil)
        for commits in 0...6 {
            for disturbed in [0, 1, 4] {
                let (values, readings) = try store.read(disturbing: disturbed, commits: commits)
                #expect(values.count == 1 && values.first?.count == 400, "\(commits) commits, \(disturbed) times")
                // The commit after the next one is the first whose successor may reuse pages.
                #expect(readings == (commits >= 2 ? disturbed + 1 : 1), "\(commits) commits, \(disturbed) times")
            }
        }
    }

    @Test("A store that changes during every reading is reported as such, never as damaged [S-76]")
    func neverQuiet() throws {
        let store = try DisturbedStore()
        #expect(throws: KeyValueError.snapshotLost(path: store.reader.path)) {
            try store.read(disturbing: .max, commits: 4)
        }
        #expect(try store.read(disturbing: 0, commits: 0).values.count == 1)
    }

    @Test("A reader that did not notice would mix states, or report damage [S-76]")
    func negativeControl() throws {
        let store = try DisturbedStore(.ignoresLostSnapshots)
        let values = try? store.read(disturbing: 1, commits: 6).values
        #expect(values?.count != 1)
    }
}
