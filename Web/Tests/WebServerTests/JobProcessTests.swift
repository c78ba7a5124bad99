import Daybook
import Foundation
import Testing

@testable import WebServer

/// Jobs in a process of their own.
struct JobProcessTests {
    /// `daybook-web`, which is built beside the tests.
    private static let program =
        URL(filePath: CommandLine.arguments[0]).deletingLastPathComponent().path + "/daybook-web"

    private func filled(_ program: String?) async throws -> InsideStore {
        let inside = try InsideStore(program: program)
        _ = try await inside.store.tasks.create((0..<50).map { NewTask("task \($0)") })
        return inside
    }

    /// A program that stands for one that ends in some way.
    private func script(_ text: String) throws -> String {
        let path = "\(FileManager.default.temporaryDirectory.path)/job-\(UUID().uuidString)"
        try "#!/bin/sh\n\(text)\n".write(toFile: path, atomically: false, encoding: .utf8)
        try FileManager.default.setAttributes([.posixPermissions: 0o700], ofItemAtPath: path)
        return path
    }

    @Test("A child process verifies, scrubs, compacts and writes snapshots of the store that is open")
    func work() async throws {
        let inside = try await filled(Self.program)
        defer { inside.remove() }
        let verified = try await inside.run("verify")
        #expect(verified["phase"] == .text("done"))
        #expect(verified["text"].string.hasPrefix("Everything is right: 50 records, "))
        #expect(verified["done"] == verified["total"] && verified["total"].int == 50)
        #expect(try await inside.run("scrub")["text"].string.hasSuffix("entries checked, up to the end"))
        #expect(try inside.store.scrubProgress.endedAt != nil)
        #expect(try await inside.run("compact")["text"].string.hasPrefix("The data file has "))
        let folder = inside.folder + "/a folder"
        let created = try await inside.run("snapshot", ["folder": folder])
        #expect(created["text"].string.hasSuffix("50 records, all checked"))
        let file = try await inside.get("snapshots", query: ["folder": folder])["snapshots"].list[0]["name"].string
        let restored = try await inside.run("restore", ["folder": folder, "file": file, "target": folder + "/new"])
        #expect(restored["text"].string.hasPrefix("Restored 50 records to "))
        let again = try await inside.run("restore", ["folder": folder, "file": file, "target": folder + "/new"])
        #expect(again["phase"] == .text("failed") && again["text"].string.hasSuffix("Choose another folder."))
        await #expect(throws: InvalidRequest.self) {
            try await inside.post(
                "jobs", "restore", body: ["folder": folder, "file": file, "target": inside.store.path])
        }
    }

    @Test(
        "A child that a signal ends is a failure with its remedy, and the next job runs",
        arguments: [
            ("BUS", "could not be read", "restore"), ("SEGV", "an error of Daybook", "none"),
            ("KILL", "from outside", "retry"),
        ])
    func signals(signal: String, text: String, remedy: String) async throws {
        let inside = try await filled(script("echo '{\"done\":1,\"total\":3}'; kill -\(signal) $$"))
        defer { inside.remove() }
        let job = try await inside.run("verify")
        #expect(job["phase"] == .text("failed") && job["done"] == .number(1) && job["total"] == .number(3))
        #expect(job["text"].string.contains(text) && job["remedy"] == .text(remedy))
        #expect(try await inside.run("scrub")["phase"] == .text("failed"))
    }

    @Test("A child that ends without a result, or cannot be started, is a failure")
    func silent() async throws {
        for program in [try script("exit 3"), "/nowhere/daybook-web"] {
            let inside = try await filled(program)
            defer { inside.remove() }
            let job = try await inside.run("verify")
            #expect(job["phase"] == .text("failed") && !job["text"].string.isEmpty)
        }
    }

    @Test("A cancellation ends the child's standard input, and so does the end of the server")
    func cancellation() async throws {
        let inside = try await filled(
            script("cat; echo '{\"end\":{\"phase\":\"cancelled\",\"text\":\"\",\"problems\":[]}}'"))
        defer { inside.remove() }
        let job = try await inside.post("jobs", "verify")
        #expect(job["phase"] == .text("running"))
        _ = try await inside.post("jobs", job["id"].string, "cancel")
        while inside.inspector.jobs.latest?.isRunning == true { try await Task.sleep(for: .milliseconds(2)) }
        #expect(try await inside.get("jobs")["phase"] == .text("cancelled"))
    }

    @Test("A damaged data file fails the job, and not its reader")
    func damage() async throws {
        let inside = try await filled(Self.program)
        defer { inside.remove() }
        let copy = inside.folder + "/copy"
        try FileManager.default.copyItem(atPath: inside.store.path, toPath: copy)
        let file = try FileHandle(forUpdating: URL(filePath: copy + "/data.mdb"))
        try file.truncate(atOffset: UInt64(8192))
        let work = InsideWork(path: copy, context: .system) { throw CancellationError() }
        let child = JobProcess(program: Self.program, kind: "verify", request: WebRequest(), work: work)
        let end = child.run(for: InsideJob("verify", 1))
        #expect(end.phase == "failed" && end.remedy == "restore", "\(end)")
    }
}
