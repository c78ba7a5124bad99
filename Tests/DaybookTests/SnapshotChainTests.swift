import Daybook
import Foundation
import Testing

/// A snapshot counts as made or verified only if it can be restored from where it is.
@Suite struct SnapshotChainTests {
    private let opened: TestDaybook
    private var folder: String { opened.folder.path }

    init() throws {
        opened = try TestDaybook()
    }

    private func path(_ name: String) -> String { "\(folder)/\(name)" }

    private func change() async throws {
        opened.clock.advance(byMicroseconds: 60_000_000)
        try await opened.tasks.create("a task")
    }

    @discardableResult
    private func create(
        _ name: String, since base: String? = nil, overwrite: Bool = false, passphrase: Passphrase? = nil
    ) throws -> SnapshotSummary {
        try opened.daybook.files.snapshot(
            to: URL(filePath: path(name)),
            options: SnapshotOptions(
                overwrite: overwrite, since: base.map { URL(filePath: path($0)) }, passphrase: passphrase))
    }

    private func makeChain(_ count: Int = 4) async throws {
        for number in 0..<count {
            try await change()
            try create("\(number).snapshot", since: number == 0 ? nil : "\(number - 1).snapshot")
        }
    }

    /// Whether a snapshot can be restored, which a check has to foretell.
    private func isRestorable(_ name: String) -> Bool {
        let place = path("restored-\(name.split(separator: "/").joined(separator: "-"))")
        defer { try? FileManager.default.removeItem(atPath: place) }
        return (try? StoreFiles.restore(URL(filePath: path(name)), to: URL(filePath: place))) != nil
    }

    private func verifies(_ name: String) throws -> Bool {
        do {
            _ = try StoreFiles.verify(URL(filePath: path(name)))
            return true
        } catch let error as FileError where error.isDamage {
            return false
        }
    }

    @Test(
        "Verification foretells a restore, with each file missing, overwritten, replaced, truncated or renamed [S-75]")
    func eachFile() async throws {
        try await makeChain()
        let other = try TestDaybook(seed: 2)
        try await other.tasks.create("of another store")
        try await other.daybook.files.snapshot(to: URL(filePath: path("other")))
        let files = FileManager.default
        let names = (0..<4).map { "\($0).snapshot" }
        for (number, name) in names.enumerated() {
            let content = try #require(files.contents(atPath: path(name)))
            func check(_ what: String, isRight: Bool = false) throws {
                for (later, other) in names.enumerated() where other != name || isRight {
                    let expected = isRight || later < number
                    #expect(try verifies(other) == expected, "\(what) \(name), verifying \(other)")
                    #expect(isRestorable(other) == expected, "\(what) \(name), restoring \(other)")
                }
                try content.write(to: URL(filePath: path(name)))
            }
            try files.removeItem(atPath: path(name))
            try check("missing")
            try Data("nonsense".utf8).write(to: URL(filePath: path(name)))
            try check("overwritten")
            try #require(files.contents(atPath: path("other"))).write(to: URL(filePath: path(name)))
            try check("snapshot of another store")
            try content.dropLast(5).write(to: URL(filePath: path(name)))
            try check("truncated")
            let next = try #require(files.contents(atPath: path("\((number + 1) % 4).snapshot")))
            try next.write(to: URL(filePath: path(name)))
            try check("replaced by another of the chain")
            try files.removeItem(atPath: path(name))
            try files.createDirectory(atPath: path(name), withIntermediateDirectories: false)
            for later in names.dropFirst(number + 1) {
                #expect(try !verifies(later) && !isRestorable(later), "a folder as \(name), verifying \(later)")
            }
            try files.removeItem(atPath: path(name))
            try content.write(to: URL(filePath: path("renamed-\(number).snapshot")))
            for later in names where later != name { #expect(try verifies(later) && isRestorable(later)) }
            try files.removeItem(atPath: path("renamed-\(number).snapshot"))
            try check("restored", isRight: false)
            try check("right", isRight: true)
        }
    }

    @Test("A snapshot is not created where it could not be restored, and what is there stays [S-75]")
    func refusals() async throws {
        try await makeChain(2)
        try await change()
        let files = FileManager.default
        try files.createDirectory(atPath: path("elsewhere"), withIntermediateDirectories: false)
        try files.createSymbolicLink(atPath: path("linked"), withDestinationPath: ".")
        func refuses(
            _ name: String, since base: String, missing: String, sourceLocation: SourceLocation = #_sourceLocation
        )
            throws
        {
            let before = opened.folder.contents
            #expect(
                throws: FileError.notRestorable(path: path(name), base: missing), sourceLocation: sourceLocation
            ) { try create(name, since: base, overwrite: true) }
            #expect(opened.folder.contents == before, sourceLocation: sourceLocation)
        }
        // Itself, in any spelling.
        try refuses("1.snapshot", since: "1.snapshot", missing: "1.snapshot")
        try refuses("./elsewhere/../1.snapshot", since: "1.snapshot", missing: "1.snapshot")
        try refuses("1.snapshot", since: "linked/1.snapshot", missing: "1.snapshot")
        try refuses("linked/1.snapshot", since: "1.snapshot", missing: "1.snapshot")
        // The base of the base, which the new one needs as well.
        #expect(throws: FileError.neededByAnother(path: path("0.snapshot"), other: "1.snapshot")) {
            try create("0.snapshot", since: "1.snapshot", overwrite: true)
        }
        // Another folder has neither, or only one of them.
        try refuses("elsewhere/2.snapshot", since: "1.snapshot", missing: "1.snapshot")
        try files.copyItem(atPath: path("1.snapshot"), toPath: path("elsewhere/1.snapshot"))
        try refuses("elsewhere/2.snapshot", since: "1.snapshot", missing: "0.snapshot")
        try files.copyItem(atPath: path("0.snapshot"), toPath: path("elsewhere/full.snapshot"))
        try create("elsewhere/2.snapshot", since: "1.snapshot")
        #expect(isRestorable("elsewhere/2.snapshot"))
        // A base whose own base is missing, or damaged.
        let base = try #require(files.contents(atPath: path("0.snapshot")))
        try files.removeItem(atPath: path("0.snapshot"))
        try refuses("2.snapshot", since: "1.snapshot", missing: "0.snapshot")
        var damaged = base
        damaged[damaged.count - 40] ^= 1
        try damaged.write(to: URL(filePath: path("0.snapshot")))
        #expect {
            try create("2.snapshot", since: "1.snapshot")
        } throws: { error in
            guard case .damagedSnapshot(path("0.snapshot"), _) = error as? FileError else { return false }
            return !files.fileExists(atPath: path("2.snapshot"))
        }
        try base.write(to: URL(filePath: path("0.snapshot")))
        try create("2.snapshot", since: "1.snapshot")
        #expect(isRestorable("2.snapshot"))
    }

    @Test("A snapshot that others continue is replaced only where a copy of it stays [S-75]")
    func neededByOthers() async throws {
        try await makeChain(3)
        try await change()
        for (name, other) in [("0.snapshot", "1.snapshot"), ("1.snapshot", "2.snapshot")] {
            let before = opened.folder.contents
            #expect(throws: FileError.neededByAnother(path: path(name), other: other)) {
                try create(name, overwrite: true)
            }
            #expect(opened.folder.contents == before)
        }
        // Nothing continues the last one.
        try create("2.snapshot", overwrite: true)
        // A hard link is a second name of the same file, and stays.
        try FileManager.default.linkItem(atPath: path("1.snapshot"), toPath: path("hard.snapshot"))
        try create("hard.snapshot", since: "hard.snapshot", overwrite: true)
        for name in ["0.snapshot", "1.snapshot", "2.snapshot", "hard.snapshot"] { #expect(isRestorable(name)) }
        // So does the file that a symbolic link names.
        try FileManager.default.createSymbolicLink(atPath: path("link.snapshot"), withDestinationPath: "hard.snapshot")
        let linked = try create("link.snapshot", since: "link.snapshot", overwrite: true)
        #expect(linked.chainLength == 4 && linked.manifest.base?.fileName == "hard.snapshot")
        #expect(isRestorable("link.snapshot") && isRestorable("hard.snapshot"))
    }

    @Test("A chain that one passphrase does not open is neither created nor verified [S-75]")
    func passphrases() async throws {
        let first = try #require(Passphrase(Array("first".utf8)))
        let second = try #require(Passphrase(Array("second".utf8)))
        try await change()
        try create("0.snapshot", passphrase: first)
        try await change()
        #expect(throws: FileError.notDecryptable(path: path("0.snapshot"))) {
            try create("1.snapshot", since: "0.snapshot", passphrase: second)
        }
        try create("1.snapshot", since: "0.snapshot", passphrase: first)
        #expect(throws: FileError.passphraseNeeded(path: path("1.snapshot"))) {
            try StoreFiles.verify(URL(filePath: path("1.snapshot")))
        }
        #expect(throws: FileError.notDecryptable(path: path("1.snapshot"))) {
            try StoreFiles.verify(URL(filePath: path("1.snapshot")), passphrase: second)
        }
        #expect(try StoreFiles.verify(URL(filePath: path("1.snapshot")), passphrase: first).chainLength == 2)
    }

    @Test("A listing says which snapshots lack one that they need [S-75]")
    func listing() async throws {
        try await makeChain()
        try FileManager.default.removeItem(atPath: path("1.snapshot"))
        let listing = try StoreFiles.list(URL(filePath: folder))
        #expect(listing.map(\.name) == ["0.snapshot", "2.snapshot", "3.snapshot"])
        #expect(listing.map(\.isComplete) == [true, false, false])
        #expect(listing.map(\.base) == [nil, nil, "2.snapshot"])
    }

    @Test("A chain of a hundred snapshots cannot be continued")
    func longChain() async throws {
        try await makeChain(100)
        #expect(try StoreFiles.verify(URL(filePath: path("99.snapshot"))).chainLength == 100)
        try await change()
        #expect(throws: FileError.chainTooLong(path: path("99.snapshot"), limit: 100)) {
            try create("100.snapshot", since: "99.snapshot")
        }
        #expect(!FileManager.default.fileExists(atPath: path("100.snapshot")))
    }
}
