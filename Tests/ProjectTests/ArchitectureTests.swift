import Foundation
import Testing

@Suite struct ArchitectureTests {
    /// A target, and what it may import beyond libraries.
    struct Target {
        let name: String
        /// The name of the folder if it differs, since a module's name has no hyphen and must not equal another's.
        var folder: String?
        var imports: Set<String> = []
    }

    /// A folder below `Sources`.
    struct Floor {
        let name: String
        let targets: [Target]

        func path(of target: Target) -> String { "Sources/\(name)/\(target.folder ?? target.name)" }
    }

    /// The floors of the architecture, the lowest first. A target imports only what is on lower floors or to its left;
    /// the front door may also name what it exports again (decision 0012).
    static let floors: [Floor] = [
        Floor(
            name: "System",
            targets: [
                Target(name: "CLMDB"), Target(name: "CZstd"), Target(name: "CSystemCalls"),
                Target(name: "CFaultAddress"),
                // What error numbers of the system mean.
                Target(name: "SystemErrors"),
                // Threads and locks that survive a fork, decision 0021.
                Target(name: "Threading"),
                // Files, folders, locks, terminals.
                Target(name: "FileSystem", imports: ["SystemErrors", "Threading", "CSystemCalls"]),
                // This process, and those that it starts.
                Target(name: "Processes", imports: ["SystemErrors", "FileSystem", "CSystemCalls"]),
                // Breaks promises on purpose, decision 0016.
                Target(name: "Injection"),
            ]),
        Floor(
            name: "Engine",
            targets: [
                Target(name: "CivilTime"),
                Target(name: "KeyValue", imports: ["Injection", "CLMDB", "CSystemCalls"]),
                Target(name: "Records", imports: ["KeyValue", "CivilTime", "Injection"]),
            ]),
        Floor(
            name: "Domains",
            targets: [
                // Tasks and journals do not know each other.
                Target(name: "Tasks", imports: ["Records", "CivilTime", "Injection"]),
                Target(name: "Journals", imports: ["Records", "CivilTime"]),
                // With the check symbols that recovery keys have, too.
                Target(name: "QRCodes"),
                Target(
                    name: "Sync",
                    imports: ["QRCodes", "Tasks", "Journals", "Records", "CivilTime", "Injection"]),
            ]),
        Floor(
            name: "Files",
            targets: [
                Target(name: "ByteStreams", imports: ["CivilTime", "Injection", "CZstd"]),
                Target(
                    name: "Snapshots",
                    imports: ["ByteStreams", "Records", "CivilTime", "Injection"]),
                Target(
                    name: "Exchange",
                    imports: ["ByteStreams", "Snapshots", "Tasks", "Journals", "Records", "CivilTime"]),
                // Pieces of SVG, for the lab's pages and the package in Web/.
                Target(name: "Charts"),
            ]),
        Floor(
            name: "Daybook",
            targets: [
                Target(
                    name: "Daybook",
                    imports: [
                        "Tasks", "Journals", "Sync", "ByteStreams", "Snapshots", "Exchange", "Records", "KeyValue",
                        "CivilTime", "Injection",
                    ]),
                Target(name: "DaybookModels", imports: ["Daybook"]),
            ]),
        Floor(
            name: "Testing",
            targets: [
                Target(name: "CRawLMDB"), Target(name: "CDiskLog"), Target(name: "CAllocationCount"),
                // Random numbers and HTML pages, for the lab's parts and the tests.
                Target(name: "LabSupport", imports: ["Charts"]),
                // Stores as former versions wrote them.
                Target(name: "FormerVersions", imports: ["Journals", "Records", "CivilTime"]),
                // What a domain says about itself once: operations, model, invariants.
                Target(
                    name: "DomainPacks",
                    imports: ["FormerVersions", "Daybook", "Tasks", "Journals", "Records", "CivilTime"]),
                // Times, ratios, counts, and decisions by them.
                Target(name: "Measuring", imports: ["LabSupport"]),
                // KeyValue for the mode of commits.
                Target(
                    name: "Workloads",
                    imports: [
                        "LabSupport", "Measuring", "FormerVersions", "Daybook", "Sync", "Records", "KeyValue",
                        "CRawLMDB",
                    ]),
                // Exchange for its reader of CSV.
                Target(
                    name: "Simulation",
                    imports: ["LabSupport", "DomainPacks", "Daybook", "Exchange", "Injection"]),
                // Sync between devices, with their network and their hub.
                Target(
                    name: "DeviceSimulation",
                    imports: ["LabSupport", "DomainPacks", "Sync", "Tasks", "Records", "CivilTime", "Injection"]),
                // The calls on files: counted by the benchmarks, replayed by the crash lab.
                Target(name: "DiskRecording", imports: ["CivilTime", "KeyValue", "CDiskLog"]),
                // What a disk holds, in pages that images share.
                Target(name: "DiskImages", imports: ["KeyValue"]),
                // Traces programs, and gives checks a folder with an image.
                Target(name: "CProgramTrace"),
                // What a power failure does to any program.
                Target(
                    name: "ProgramCrashes", imports: ["LabSupport", "DiskImages", "CivilTime", "CProgramTrace"]),
                // Simulation for the machine that it lends: crashes, faults, second processes.
                Target(
                    name: "CrashTesting",
                    imports: [
                        "LabSupport", "Daybook", "DomainPacks", "Simulation", "Tasks", "Sync",
                        "ByteStreams", "Snapshots", "Exchange", "Records", "KeyValue", "CivilTime",
                        "DiskRecording", "CDiskLog", "DiskImages", "Injection",
                    ]),
                // Damaged files for every reader.
                Target(
                    name: "Fuzzing",
                    imports: [
                        "LabSupport", "Daybook", "DomainPacks", "Tasks", "Journals", "ByteStreams", "Snapshots",
                        "Exchange",
                        "Records", "KeyValue", "CivilTime",
                    ]),
            ]),
        Floor(
            name: "Programs",
            targets: [
                // KeyValue for its error.
                Target(name: "CommandSupport", imports: ["Daybook", "KeyValue", "CFaultAddress"]),
                Target(
                    name: "DaybookCommand", folder: "daybook",
                    imports: ["CommandSupport", "Daybook", "KeyValue"]),
                // The gate as a program, also for users' operations: a library, but of a program.
                Target(
                    name: "PerformanceTesting",
                    imports: [
                        "CommandSupport", "Charts", "LabSupport", "Injection", "Daybook", "Measuring", "DiskRecording",
                        "CAllocationCount",
                    ]),
                // What generates and measures: for the lab, and alone.
                Target(
                    name: "BenchCommands",
                    imports: [
                        "PerformanceTesting", "CommandSupport", "LabSupport", "Injection", "Daybook", "Measuring",
                        "Workloads", "KeyValue", "DiskRecording",
                    ]),
                Target(
                    name: "BenchProgram", folder: "daybook-bench",
                    imports: ["BenchCommands", "CommandSupport", "Daybook"]),
                Target(
                    name: "LabCommand", folder: "daybook-lab",
                    imports: [
                        "BenchCommands", "PerformanceTesting", "CommandSupport", "LabSupport", "Measuring", "Injection",
                        "Daybook", "KeyValue", "DomainPacks", "Simulation", "DeviceSimulation", "DiskRecording",
                        "CrashTesting",
                        "ProgramCrashes", "Workloads", "Fuzzing",
                    ]),
            ]),
    ]

    /// The folders that contain Swift code, with the modules that their files may import.
    static let modules: [(name: String, path: String, imports: Set<String>)] = floors.flatMap { floor in
        floor.targets.filter {
            !$0.name.hasPrefix("C") || ["CivilTime", "CrashTesting", "CommandSupport"].contains($0.name)
        }
        .map { ($0.name, floor.path(of: $0), $0.imports) }
    }

    static let wrappers: Set<String> = ["SystemErrors", "Threading", "FileSystem", "Processes"]

    static let libraries: Set<String> = [
        "Swift", "Synchronization", "Observation", "Glibc", "Musl", "Darwin", "Dispatch", "FoundationEssentials",
        "Foundation",
        "Logging",
        "ArgumentParser", "Yams", "Crypto", "CryptoExtras",
    ]

    @Test("A target imports only what its row allows [J-MT2, F-17]", arguments: modules.map(\.name))
    func imports(module: String) throws {
        let row = try #require(Self.modules.first { $0.name == module })
        let files = try SourceTree.swiftFiles(below: row.path)
        #expect(!files.isEmpty)
        // All that is not of System may use what wraps the operating system there.
        let isAbove = !row.path.hasPrefix("Sources/System/")
        let allowed = row.imports.union(Self.libraries).union(isAbove ? Self.wrappers : [])
        for (path, text) in files {
            for name in SourceTree.imports(in: text) {
                #expect(allowed.contains(name), "\(path) imports \(name)")
            }
        }
    }

    @Test("A row allows only what is on lower floors, or to its left on the same floor [J-MT4]")
    func floorsStand() {
        var below: Set<String> = []
        for floor in Self.floors {
            for target in floor.targets {
                #expect(target.imports.isSubset(of: below), "\(target.name): \(target.imports.subtracting(below))")
                below.insert(target.name)
            }
        }
    }

    @Test("Every folder below Sources is a floor or a target with its row, and Package.swift names it")
    func foldersAreListed() throws {
        func folders(_ path: String) throws -> Set<String> {
            let names = try FileManager.default.contentsOfDirectory(atPath: SourceTree.root.appending(path: path).path)
            return Set(names.filter { !$0.hasPrefix(".") })
        }
        let manifest = try String(contentsOf: SourceTree.root.appending(path: "Package.swift"), encoding: .utf8)
        #expect(try folders("Sources") == Set(Self.floors.map(\.name)))
        for floor in Self.floors {
            #expect(
                try folders("Sources/\(floor.name)") == Set(floor.targets.map { $0.folder ?? $0.name }), "\(floor.name)"
            )
            for target in floor.targets {
                #expect(manifest.contains("\"\(floor.path(of: target))\""), "\(target.name)")
            }
        }
    }

    /// Measuring and Workloads measure real time, which never reaches a store; Threading limits a wait, which only the system's clock can.
    @Test("Only CivilTime reads the clock, the zone or a source of randomness [D9, S-20]")
    func timeIsInjected() throws {
        let forbidden = [
            "Date()", "Date.now", "UUID()", "TimeZone.current", "clock_gettime", "ContinuousClock", "SuspendingClock",
            "SystemRandomNumberGenerator", ".random(in", "gettimeofday", "Task.sleep", "usleep", "/etc/localtime",
            "MachineClock.",
        ]
        for module in Self.modules where module.name != "CivilTime" {
            for (path, text) in try SourceTree.swiftFiles(below: module.path) {
                let code = SourceTree.code(of: text)
                let allowed = [
                    "Measuring": "ContinuousClock", "Workloads": "ContinuousClock", "Threading": "clock_gettime",
                ][
                    module.name]
                for word in forbidden where word != allowed {
                    #expect(!code.contains(word), "\(path) uses \(word)")
                }
            }
        }
    }

    @Test("No code uses `async let`, which Swift 6.3 compiles into a crash that depends on the order of threads")
    func noAsyncLet() throws {
        for folder in ["Sources", "Tests", "Hub", "Web", "Examples", "Benchmarks"] {
            for (path, text) in try SourceTree.swiftFiles(below: folder)
            where !path.hasSuffix("ArchitectureTests.swift") {
                #expect(!SourceTree.code(of: text).contains("async let"), "\(path)")
            }
        }
    }

    @Test("Only SharedData looks for files beside the project, and skips their tests where they are missing [S-59]")
    func sharedData() throws {
        for folder in ["Tests", "Hub/Tests", "Web/Tests", "Examples/Tests"] {
            for (path, text) in try SourceTree.swiftFiles(below: folder) where !path.hasSuffix("/SharedData.swift") {
                // Where tests are skipped, the reason names the folder.
                let lines = SourceTree.code(of: text).split(separator: "\n").filter { !$0.contains("\"needs ") }
                #expect(!lines.contains { $0.contains("/shared" + "/") || $0.contains(".." + "/shared") }, "\(path)")
            }
        }
    }

    @Test("Most source files have at most 250 lines, and none more than 400 [J-MT1]")
    func sizes() throws {
        let files = try SourceTree.swiftFiles(below: "Sources").map { path, text in
            (path: path, lines: text.split(separator: "\n", omittingEmptySubsequences: false).count - 1)
        }
        for (path, lines) in files { #expect(lines <= 400, "\(path) has \(lines) lines") }
        #expect(files.count { $0.lines > 250 } * 15 <= files.count)
    }

    @Test("No code uses a network [S-44, C-NFR19, C-NFR31, C-NFR35, C-NFR36, L-NFR11, L-NFR15, L-NFR22, P-SE1, J-SE5]")
    func noNetwork() throws {
        let forbidden = ["FoundationNetworking", "URLSession", "socket(", "connect(", "getaddrinfo", "NIO"]
        for (path, text) in try SourceTree.swiftFiles(below: "Sources") {
            let code = SourceTree.code(of: text)
            for word in forbidden { #expect(!code.contains(word), "\(path) uses \(word)") }
        }
    }

    @Test(
        "No code traps on data of a program; only System, KeyValue and the wrapper of zstd use pointers [L-PR6, J-MT4]"
    )
    func safety() throws {
        let forbidden = ["try!", "as!", "fatalError("]
        for (path, text) in try SourceTree.swiftFiles(below: "Sources") {
            let code = SourceTree.code(of: text)
            for word in forbidden { #expect(!code.contains(word), "\(path) uses \(word)") }
            let hasPointers = [
                "Sources/System/", "Sources/Engine/KeyValue/", "Sources/Files/ByteStreams/Zstd/",
            ]
            if !hasPointers.contains(where: path.hasPrefix) {
                for word in ["UnsafePointer", "UnsafeMutable", "UnsafeRaw", "withUnsafe", "Unmanaged"] {
                    #expect(!code.contains(word), "\(path) uses \(word)")
                }
            }
        }
    }

    @Test("Nothing uses the standard library's mutex, which ends a forked child with a signal")
    func mutex() throws {
        for (path, text) in try SourceTree.swiftFiles(below: "Sources")
        where !path.hasPrefix("Sources/System/Threading/") {
            #expect(SourceTree.code(of: text).firstMatch(of: /\bMutex\b/) == nil, "\(path) uses Mutex")
        }
    }

    /// Those that are left, which may only get fewer: another operating system is to be the work of System.
    static let importersOfGlibc = [
        "Sources/Engine/KeyValue/Pages/", "Sources/Testing/", "Sources/Programs/BenchCommands/",
        "Sources/Programs/PerformanceTesting/", "Sources/Programs/daybook-lab/",
        "Sources/Programs/CommandSupport/CrashMessage.swift",
    ]

    @Test("Only System imports the C library")
    func systemLibrary() throws {
        var unused = Set(Self.importersOfGlibc)
        for (path, text) in try SourceTree.swiftFiles(below: "Sources") where !path.hasPrefix("Sources/System/") {
            guard SourceTree.imports(in: text).contains(where: { ["Glibc", "Musl", "Darwin"].contains($0) }) else {
                continue
            }
            let exception = Self.importersOfGlibc.first(where: path.hasPrefix)
            #expect(exception != nil, "\(path)")
            if let exception { unused.remove(exception) }
        }
        #expect(unused.isEmpty, "Remove these exceptions.")
    }

    @Test("Nothing imports all of Foundation, which costs three milliseconds at every start")
    func noFoundation() throws {
        for (path, text) in try SourceTree.swiftFiles(below: "Sources") {
            #expect(!SourceTree.imports(in: text).contains("Foundation"), "\(path)")
        }
    }
}
