import Foundation
import Testing

@Suite struct ArchitectureTests {
    /// The table of the architecture, with decision 0012: the front door may also name what it re-exports.
    static let allowedImports: [String: Set<String>] = [
        // The floor of the system: threads and locks, decision 0021.
        "Threading": [],
        "CivilTime": ["Threading", "CTimerDescriptor"],
        "KeyValue": ["Threading", "CLMDB"],
        "Records": ["KeyValue", "CivilTime", "Threading"],
        "Tasks": ["Records", "CivilTime", "Threading"],
        "Archive": ["Records", "CivilTime", "Threading", "CZstd", "CFolderExchange"],
        "Daybook": ["Tasks", "Archive", "Records", "CivilTime", "Threading"],
        "Workloads": ["Daybook", "Threading", "CRawLMDB"],
        "Simulation": ["Daybook", "Threading"],
        // Simulation for the machine that it lends: crashes, faults, second processes.
        "CrashLab": [
            "Daybook", "Simulation", "Tasks", "Archive", "Records", "KeyValue", "CivilTime", "Threading", "CDiskLog",
        ],
        // KeyValue for one thing: the child process that `verify` runs in.
        "DaybookCommand": [
            "Daybook", "Workloads", "KeyValue", "Threading", "Simulation", "CrashLab", "CAllocationCount",
        ],
    ]

    static let libraries: Set<String> = [
        "Synchronization", "Glibc", "Musl", "Darwin", "Dispatch", "FoundationEssentials", "Foundation", "Logging",
        "ArgumentParser", "Yams", "Crypto", "CryptoExtras",
    ]

    @Test("A module imports only modules below it", arguments: allowedImports.keys.sorted())
    func imports(module: String) throws {
        let files = try SourceTree.swiftFiles(below: "Sources/\(module)")
        #expect(!files.isEmpty)
        let allowed = Self.allowedImports[module, default: []].union(Self.libraries)
        for (path, text) in files {
            for name in SourceTree.imports(in: text) {
                #expect(allowed.contains(name), "\(path) imports \(name)")
            }
        }
    }

    @Test("Every module has its row in the table")
    func modulesAreListed() throws {
        let folders = try FileManager.default.contentsOfDirectory(
            atPath: SourceTree.root.appending(path: "Sources").path)
        let listed = Set(Self.allowedImports.keys)
            .union([
                "CLMDB", "CZstd", "CDiskLog", "CAllocationCount", "CTimerDescriptor", "CFolderExchange", "CRawLMDB",
            ])
        #expect(Set(folders.filter { !$0.hasPrefix(".") }) == listed)
    }

    /// What Workloads times is real time; nothing of it reaches a store.
    @Test("D9, S-20: only CivilTime reads the clock, the zone or a source of randomness")
    func timeIsInjected() throws {
        let forbidden = [
            "Date()", "Date.now", "UUID()", "TimeZone.current", "clock_gettime", "ContinuousClock", "SuspendingClock",
            "SystemRandomNumberGenerator", ".random(in", "gettimeofday", "Task.sleep", "usleep", "/etc/localtime",
        ]
        for module in Self.allowedImports.keys.sorted() where module != "CivilTime" {
            for (path, text) in try SourceTree.swiftFiles(below: "Sources/\(module)") {
                let code = SourceTree.code(of: text)
                for word in forbidden where !(module == "Workloads" && word == "ContinuousClock") {
                    #expect(!code.contains(word), "\(path) uses \(word)")
                }
            }
        }
    }

    @Test("S-44: nothing here speaks to a network")
    func noNetwork() throws {
        let forbidden = ["FoundationNetworking", "URLSession", "socket(", "connect(", "getaddrinfo", "NIO"]
        for (path, text) in try SourceTree.swiftFiles(below: "Sources") {
            let code = SourceTree.code(of: text)
            for word in forbidden { #expect(!code.contains(word), "\(path) uses \(word)") }
        }
    }

    @Test(
        "No traps that a program's data could spring, and no pointers outside Threading, KeyValue and the wrapper of zstd"
    )
    func safety() throws {
        let forbidden = ["try!", "as!", "fatalError("]
        for (path, text) in try SourceTree.swiftFiles(below: "Sources") {
            let code = SourceTree.code(of: text)
            for word in forbidden { #expect(!code.contains(word), "\(path) uses \(word)") }
            let hasPointers = ["Sources/Threading/", "Sources/KeyValue/", "Sources/Archive/Zstd/"]
            if !hasPointers.contains(where: path.hasPrefix) {
                for word in ["UnsafePointer", "UnsafeMutable", "UnsafeRaw", "withUnsafe", "Unmanaged"] {
                    #expect(!code.contains(word), "\(path) uses \(word)")
                }
            }
        }
    }

    @Test("Nothing uses the standard library's mutex, which ends a forked child with a signal")
    func mutex() throws {
        for (path, text) in try SourceTree.swiftFiles(below: "Sources") where !path.hasPrefix("Sources/Threading/") {
            #expect(SourceTree.code(of: text).firstMatch(of: /\bMutex\b/) == nil, "\(path) uses Mutex")
        }
    }

    @Test("Nothing imports all of Foundation, which costs three milliseconds at every start")
    func noFoundation() throws {
        for (path, text) in try SourceTree.swiftFiles(below: "Sources") {
            #expect(!SourceTree.imports(in: text).contains("Foundation"), "\(path)")
        }
    }
}
