import Daybook
import Foundation
import Testing

@testable import WebServer

struct InsideJobTests {
    private func filled() async throws -> InsideStore {
        let inside = try InsideStore()
        _ = try await inside.store.tasks.create((0..<50).map { NewTask("task \($0)") })
        return inside
    }

    @Test("Verify, scrub and compact end with what the command line says")
    func checks() async throws {
        let inside = try await filled()
        defer { inside.remove() }
        let verified = try await inside.run("verify")
        #expect(verified["phase"] == .text("done"))
        #expect(verified["text"].string.hasPrefix("Everything is right: 50 records, "))
        #expect(verified["done"] == verified["total"])
        #expect(try await inside.run("scrub")["text"].string.hasSuffix("entries checked, up to the end"))
        #expect(try inside.store.scrubProgress.endedAt != nil)
        #expect(try await inside.run("compact")["text"].string.hasPrefix("The data file has "))
        #expect(try await inside.get("jobs")["kind"] == .text("compact"))
    }

    @Test("One job runs at a time, and a cancelled one ends")
    func oneAtATime() async throws {
        let inside = try await filled()
        defer { inside.remove() }
        let job = try inside.inspector.jobs.start("endless")
        job.run { job in
            while !job.isCancelled {
                job.update(1, of: 2)
                Thread.sleep(forTimeInterval: 0.002)
            }
            return JobEnd(phase: "cancelled", text: "It was cancelled.")
        }
        await #expect(throws: Problem.self) { try await inside.post("jobs", "verify") }
        #expect(try await inside.get("jobs", job.id)["phase"] == .text("running"))
        _ = try await inside.post("jobs", job.id, "cancel")
        while job.isRunning { try await Task.sleep(for: .milliseconds(2)) }
        #expect(job.json["phase"] == .text("cancelled"))
        #expect(try await inside.run("verify")["phase"] == .text("done"))
    }

    @Test("A server that only shows verifies and cancels, and neither scrubs nor writes snapshots")
    func harmless() {
        func isHarmless(_ path: String...) -> Bool {
            StoreInspector.isHarmless(WebRequest(changes: true, path: path))
        }
        #expect(isHarmless("jobs", "verify") && isHarmless("jobs", "check") && isHarmless("jobs", "1", "cancel"))
        for kind in ["scrub", "compact", "snapshot", "restore"] { #expect(!isHarmless("jobs", kind)) }
    }

    @Test("A snapshot is created, listed, verified and restored into a new folder, and never over a store")
    func snapshots() async throws {
        let inside = try await filled()
        defer { inside.remove() }
        let folder = inside.folder + "/backups"
        let none = try await inside.get("snapshots", query: ["folder": folder])
        #expect(none["text"].string.hasPrefix("There is no folder"))
        let created = try await inside.run("snapshot", ["folder": folder])
        #expect(created["text"].string.hasSuffix("50 records, all checked"))
        let listed = try await inside.get("snapshots", query: ["folder": folder])["snapshots"].list
        #expect(listed.count == 1 && listed[0]["text"] == .text("whole"))
        let file = listed[0]["name"].string
        let checked = try await inside.run("check", ["folder": folder, "file": file])
        #expect(checked["text"].string.hasSuffix("all checked"))

        let target = inside.folder + "/restored"
        let restored = try await inside.run("restore", ["folder": folder, "file": file, "target": target])
        #expect(restored["text"] == .text("Restored 50 records to \(target), all checked"))
        let copy = try DaybookStore.open(at: target)
        #expect(try copy.read { try $0.tasks.count(in: .notStarted) } == 50)
        copy.close()

        let again = try await inside.run("restore", ["folder": folder, "file": file, "target": target])
        #expect(again["phase"] == .text("failed"))
        #expect(again["text"] == .text("\(target) exists and was not changed. Choose another folder."))
        for place in [inside.store.path, inside.store.path + "/", inside.store.path + "/../store/new"] {
            await #expect(throws: InvalidRequest.self) {
                try await inside.post("jobs", "restore", body: ["folder": folder, "file": file, "target": place])
            }
        }
        await #expect(throws: InvalidRequest.self) {
            try await inside.post("jobs", "check", body: ["folder": folder, "file": "../store/data.mdb"])
        }

        // A damaged file is a finding, in one line.
        let path = "\(folder)/\(file)"
        var bytes = try Data(contentsOf: URL(filePath: path))
        bytes[bytes.count / 2] ^= 1
        try bytes.write(to: URL(filePath: path))
        let damaged = try await inside.run("check", ["folder": folder, "file": file])
        #expect(damaged["phase"] == .text("done") && damaged["problems"].list.count == 1)
    }
}
