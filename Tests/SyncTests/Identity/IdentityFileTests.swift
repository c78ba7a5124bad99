import CivilTime
import Foundation
import Records
import TestSupport
import Testing

@testable import Sync

@Suite struct IdentityFileTests {
    @Test("The identity is read as it was written, from a file that only its owner can read [F-6]")
    func roundTrip() throws {
        let folder = TemporaryFolder()
        var world = try SealingWorld()
        var identity = try world.three()[0]
        identity.pin = CertificatePin(ofPublicKey: [1, 2, 3])
        identity = try identity.rotation(removing: [], stamp: world.stamp(of: 1), random: world.random).identity
        try identity.write(inStore: folder.path)
        #expect(try SpaceIdentity.read(inStore: folder.path) == identity)
        let path = folder.path + "/sync.json"
        let mode = try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? NSNumber
        #expect(mode?.intValue == 0o600)

        identity.hub = "https://other.example"
        try identity.write(inStore: folder.path)
        #expect(try SpaceIdentity.read(inStore: folder.path).hub == "https://other.example")
        #expect(folder.names == ["sync.json"])
        try SpaceIdentity.remove(fromStore: folder.path)
        try SpaceIdentity.remove(fromStore: folder.path)
        #expect(folder.names == [])
    }

    @Test("A store without the file has not joined; a file that is none is refused and kept")
    func refused() throws {
        let folder = TemporaryFolder()
        #expect(throws: IdentityError.notJoined) { try SpaceIdentity.read(inStore: folder.path) }
        #expect(throws: IdentityError.notJoined) { try SpaceIdentity.read(inStore: folder.path + "/nowhere") }
        let identity = try SealingWorld().first
        try identity.write(inStore: folder.path)
        let path = folder.path + "/sync.json"
        let good = try String(contentsOfFile: path, encoding: .utf8)
        for (old, new) in [
            ("\"format\" : 1", "\"format\" : 2"), ("\"device\" : \"", "\"device\" : \"x"), ("{", ""),
            ("\"ring\" : \"", "\"ring\" : \"AAAA"), ("\"hub\"", "\"pin\" : \"AAAA\",\n  \"hub\""),
        ] {
            let bad = good.replacingOccurrences(of: old, with: new)
            #expect(bad != good)
            try bad.write(toFile: path, atomically: false, encoding: .utf8)
            #expect(throws: IdentityError.invalidFile, "\(old)") { try SpaceIdentity.read(inStore: folder.path) }
            #expect(try String(contentsOfFile: path, encoding: .utf8) == bad)
        }
    }

    @Test("A failed write leaves the former file and no other")
    func failure() throws {
        let folder = TemporaryFolder()
        let identity = try SealingWorld().first
        #expect(throws: IdentityError.file(code: 2)) { try identity.write(inStore: folder.path + "/nowhere") }
        // The target cannot be replaced: a folder that is not empty.
        try FileManager.default.createDirectory(
            atPath: folder.path + "/sync.json/x", withIntermediateDirectories: true)
        #expect(throws: IdentityError.self) { try identity.write(inStore: folder.path) }
        #expect(folder.names == ["sync.json"])
    }

    @Test("The draft of another process with the same id is neither opened nor removed")
    func sameProcessID() throws {
        let folder = TemporaryFolder()
        let drafts = (1...1_000).map { "sync.json.\(getpid())-\($0).tmp" }
        for name in drafts { try Data("other".utf8).write(to: URL(fileURLWithPath: "\(folder.path)/\(name)")) }
        let identity = try SealingWorld().first
        try identity.write(inStore: folder.path)
        #expect(try SpaceIdentity.read(inStore: folder.path) == identity)
        #expect(Set(folder.names) == Set(drafts + ["sync.json"]))
        for name in drafts {
            #expect(FileManager.default.contents(atPath: "\(folder.path)/\(name)") == Data("other".utf8))
        }
    }
}
