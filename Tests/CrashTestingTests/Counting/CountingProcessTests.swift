#if os(Linux)
    import Foundation
    import KeyValue
    import Testing

    @testable import CrashTesting

    /// The counts of an operation are those of its code alone: no machine, folder or process has others.
    @Suite struct CountingProcessTests {
        private static let executable = URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath()
            .deletingLastPathComponent().appendingPathComponent("CountingProcess").path

        /// What a process says that counts a hundred rounds of every operation in a folder of a thousand tasks.
        private func counts(in folder: String, _ environment: [String] = []) throws -> [String] {
            try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
            let (ending, output) = try ChildProcess.run(
                "/usr/bin/env", environment + [Self.executable, "count", folder])
            #expect(ending == .exited(0))
            return String(decoding: output, as: UTF8.self).split(separator: "\n").map(String.init)
        }

        @Test("Every process counts the same, in other folders, under other environments, with other hashes")
        func sameEverywhere() throws {
            let folder = try LabFolder()
            let first = try counts(in: "\(folder.path)/a")
            let second = try counts(
                in: "\(folder.path)/with a long name/of several folders",
                ["TMPDIR=\(folder.path)", "TZ=Asia/Tokyo", "LANG=tr_TR.UTF-8"])
            // Swift's dictionaries have another order in each process.
            #expect(first[0].hasPrefix("hash ") && second[0].hasPrefix("hash ") && first[0] != second[0])
            #expect(first.count > 700)
            for (one, other) in zip(first, second).dropFirst() { #expect(one == other) }
            #expect(first.count == second.count)
            for name in ["create", "today", "cycle", "reorder", "schedule", "month", "delete", "undo"] {
                let lines = first.filter { $0.hasPrefix("\(name): ") }
                #expect(lines.count > 60)
                let isView = ["today", "month"].contains(name)
                #expect(lines.allSatisfy { $0.contains("flushes: \(isView ? 0 : 1),") }, "\(name)")
            }
        }
    }
#endif
