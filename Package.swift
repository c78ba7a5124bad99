// swift-tools-version: 6.2
import PackageDescription

let package = Package(
    name: "daybook",
    products: [
        .library(name: "Daybook", targets: ["Daybook"]),
        // What an application's screens show, for user interfaces that observe.
        .library(name: "DaybookModels", targets: ["DaybookModels"]),
        // For the package in Hub/.
        .library(name: "DaybookSync", targets: ["Sync"]),
        // For the package in Benchmarks/.
        .library(name: "Workloads", targets: ["Workloads", "CRawLMDB"]),
        // Pieces of SVG, for the package in Web/.
        .library(name: "Charts", targets: ["Charts"]),
        // For tests of programs that keep their data in Daybook.
        .library(name: "Simulation", targets: ["Simulation"]),
        // For the hub's tests.
        .library(name: "DeviceSimulation", targets: ["DeviceSimulation"]),
        // The same as Simulation; replaces libc's file calls, so for test targets only.
        .library(name: "CrashTesting", targets: ["CrashTesting"]),
        // For a program that judges the operations of another one. It counts by replacing libc's file calls and malloc.
        .library(name: "PerformanceTesting", targets: ["PerformanceTesting"]),
        .executable(name: "daybook", targets: ["DaybookCommand"]),
        // The lab's commands that generate and measure, for whoever needs no simulator: Scripts/demo.
        .executable(name: "daybook-bench", targets: ["BenchProgram"]),
        .executable(name: "daybook-lab", targets: ["LabCommand"]),
    ],
    dependencies: [
        .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.2"),
        .package(url: "https://github.com/apple/swift-crypto", from: "4.5.2"),
        .package(url: "https://github.com/apple/swift-log", from: "1.16.2"),
        .package(url: "https://github.com/jpsim/Yams", from: "6.2.2"),
    ],
    targets: [
        .systemLibrary(
            name: "CLMDB", path: "Sources/System/CLMDB", pkgConfig: "lmdb",
            providers: [.apt(["liblmdb-dev"])]),
        .systemLibrary(
            name: "CZstd", path: "Sources/System/CZstd", pkgConfig: "libzstd",
            providers: [.apt(["libzstd-dev"])]),
        .systemLibrary(name: "CSystemCalls", path: "Sources/System/CSystemCalls"),
        .target(name: "SystemErrors", path: "Sources/System/SystemErrors"),
        .systemLibrary(name: "CFaultAddress", path: "Sources/System/CFaultAddress"),
        .target(name: "Threading", path: "Sources/System/Threading", swiftSettings: [.strictMemorySafety()]),
        // Files, folders, locks and terminals, and processes: with Threading all that imports the C library.
        .target(
            name: "FileSystem", dependencies: ["SystemErrors", "Threading", "CSystemCalls"],
            path: "Sources/System/FileSystem", swiftSettings: [.strictMemorySafety()]),
        .target(
            name: "Processes", dependencies: ["FileSystem", "CSystemCalls"], path: "Sources/System/Processes",
            swiftSettings: [.strictMemorySafety()]),
        // The one seam for fault injection (decision 0016); only this package can arm a point.
        .target(name: "Injection", path: "Sources/System/Injection"),
        .target(name: "CivilTime", dependencies: ["Processes"], path: "Sources/Engine/CivilTime"),
        .target(
            name: "KeyValue",
            dependencies: ["CLMDB", "CSystemCalls", "Processes", "Injection"],
            path: "Sources/Engine/KeyValue",
            swiftSettings: [.strictMemorySafety()]
        ),
        .target(
            name: "Records",
            dependencies: [
                "KeyValue", "CivilTime", "Threading", "Injection", .product(name: "Logging", package: "swift-log"),
            ], path: "Sources/Engine/Records",
            // For the three files that lend bytes of LMDB's map (decision 0004).
            swiftSettings: [.enableExperimentalFeature("Lifetimes")]
        ),
        .target(
            name: "Tasks",
            dependencies: [
                "Records", "CivilTime", "Threading", "Injection", .product(name: "Logging", package: "swift-log"),
            ], path: "Sources/Domains/Tasks"
        ),
        .target(
            name: "Journals",
            dependencies: ["Records", "CivilTime", "Threading", .product(name: "Logging", package: "swift-log")],
            path: "Sources/Domains/Journals"
        ),
        // What pairing shows on a screen, and the check symbols of a recovery key.
        .target(name: "QRCodes", path: "Sources/Domains/QRCodes"),
        .target(
            name: "Sync",
            dependencies: [
                "SystemErrors", "QRCodes", "Tasks", "Journals", "Records", "CivilTime", "Threading", "Injection",
                .product(name: "Crypto", package: "swift-crypto"),
            ], path: "Sources/Domains/Sync"
        ),
        .target(
            name: "ByteStreams", dependencies: ["SystemErrors", "CivilTime", "Threading", "Injection", "CZstd"],
            path: "Sources/Files/ByteStreams"),
        .target(
            name: "Snapshots",
            dependencies: [
                "ByteStreams", "Records", "CivilTime", "Threading", "Injection",
                .product(name: "Crypto", package: "swift-crypto"),
                .product(name: "CryptoExtras", package: "swift-crypto"),
            ], path: "Sources/Files/Snapshots"
        ),
        .target(
            name: "Exchange",
            dependencies: [
                "ByteStreams", "Snapshots", "Tasks", "Journals", "Records", "CivilTime", "Threading",
                .product(name: "Crypto", package: "swift-crypto"),
            ], path: "Sources/Files/Exchange"
        ),
        // Pieces of SVG, for reports and pages.
        .target(name: "Charts", path: "Sources/Files/Charts"),
        .target(
            name: "Daybook",
            dependencies: [
                "Tasks", "Journals", "Sync", "ByteStreams", "Snapshots", "Exchange", "KeyValue", "Threading",
                "Injection",
            ],
            path: "Sources/Daybook/Daybook"),
        .target(name: "DaybookModels", dependencies: ["Daybook"], path: "Sources/Daybook/DaybookModels"),
        // Plain LMDB in C, for the same bytes: the floor that the benchmarks set beside Daybook.
        .target(name: "CRawLMDB", dependencies: ["CLMDB"], path: "Sources/Testing/CRawLMDB"),
        // What the parts of the lab share: random numbers, HTML pages.
        .target(
            name: "LabSupport", dependencies: ["Charts"], path: "Sources/Testing/LabSupport",
            resources: [.embedInCode("Resources/base.css")]),
        // Stores as former versions of Daybook wrote them, for tests and measurements of migrations.
        .target(
            name: "FormerVersions", dependencies: ["Journals", "Records", "CivilTime"],
            path: "Sources/Testing/FormerVersions"),
        // What a domain says about itself once, for the crash lab, the simulator and its users' tests.
        .target(
            name: "DomainPacks",
            dependencies: ["Daybook", "Tasks", "Journals", "Records", "CivilTime"],
            path: "Sources/Testing/DomainPacks"),
        // Times, ratios, counts, and what the gate decides by them.
        .target(
            name: "Measuring", dependencies: ["SystemErrors", "LabSupport"], path: "Sources/Testing/Measuring"),
        .target(
            name: "Workloads",
            dependencies: [
                "SystemErrors", "LabSupport", "Measuring", "FormerVersions", "Daybook", "Sync", "Records", "KeyValue",
                "CRawLMDB",
                "Threading",
            ],
            path: "Sources/Testing/Workloads"),
        .target(
            name: "Simulation",
            dependencies: [
                "SystemErrors", "LabSupport", "DomainPacks", "Daybook", "Exchange", "Threading", "Injection",
                .product(name: "Crypto", package: "swift-crypto"),
                .product(name: "Yams", package: "Yams"),
            ], path: "Sources/Testing/Simulation",
            resources: [
                .embedInCode("Page/Resources/timeline.css"), .embedInCode("Page/Resources/timeline.js"),
            ]),
        // Devices, a network and hubs in virtual time: a target of its own, so that the simulation of a store needs no sync.
        .target(
            name: "DeviceSimulation",
            dependencies: [
                "LabSupport", "DomainPacks", "Sync", "Tasks", "Records", "CivilTime", "Threading", "Injection",
            ],
            path: "Sources/Testing/DeviceSimulation"),
        // Replaces libc's file calls: for tests and the lab, never in a program that people run.
        .target(name: "CDiskLog", path: "Sources/Testing/CDiskLog"),
        // Replaces malloc: for tests and the lab, never in a product.
        .target(name: "CAllocationCount", path: "Sources/Testing/CAllocationCount"),
        // The calls on files that a process makes: counted by the benchmarks, replayed by the crash lab.
        .target(
            name: "DiskRecording", dependencies: ["SystemErrors", "CivilTime", "KeyValue", "CDiskLog"],
            path: "Sources/Testing/DiskRecording"),
        // What a disk holds, in pages that images share.
        .target(name: "DiskImages", dependencies: ["KeyValue"], path: "Sources/Testing/DiskImages"),
        // Runs any program under seccomp and ptrace, and checks images of its folder in mount namespaces.
        .target(name: "CProgramTrace", path: "Sources/Testing/CProgramTrace"),
        // What a power failure does to any program.
        .target(
            name: "ProgramCrashes",
            dependencies: [
                "SystemErrors", "FileSystem", "CivilTime", "LabSupport", "DiskImages", "KeyValue", "CProgramTrace",
            ],
            path: "Sources/Testing/ProgramCrashes"),
        .target(
            name: "CrashTesting",
            dependencies: [
                "SystemErrors", "Daybook", "Tasks", "ByteStreams", "Snapshots", "Exchange", "Records", "KeyValue",
                "CivilTime", "Threading", "Injection", "LabSupport", "DomainPacks", "Simulation", "Sync",
                "DiskRecording", "CDiskLog", "DiskImages",
            ], path: "Sources/Testing/CrashTesting"),
        // Tries every reader with damaged files: Scripts/fuzz.
        .target(
            name: "Fuzzing",
            dependencies: [
                "Daybook", "Tasks", "Journals", "ByteStreams", "Snapshots", "Exchange", "Records", "KeyValue",
                "CivilTime", "DomainPacks", "LabSupport", .product(name: "Crypto", package: "swift-crypto"),
                .product(name: "CryptoExtras", package: "swift-crypto"),
            ], path: "Sources/Testing/Fuzzing"),
        // What both programs need: output, terminal, errors and exit codes, global options.
        .target(
            name: "CommandSupport",
            dependencies: [
                "Daybook", "KeyValue", "Threading", "CFaultAddress",
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
                .product(name: "Logging", package: "swift-log"),
            ], path: "Sources/Programs/CommandSupport"),
        .executableTarget(
            name: "DaybookCommand",
            dependencies: [
                "SystemErrors", "CommandSupport", "Daybook", "KeyValue",
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
            ], path: "Sources/Programs/daybook"
        ),
        // The gate as a program: for Daybook's operations, and for those of its users.
        .target(
            name: "PerformanceTesting",
            dependencies: [
                "CommandSupport", "Daybook", "Injection", "Charts", "LabSupport", "Measuring", "DiskRecording",
                "CAllocationCount", .product(name: "ArgumentParser", package: "swift-argument-parser"),
            ], path: "Sources/Programs/PerformanceTesting",
            resources: [.embedInCode("Page/Resources/bench.css")]
        ),
        // What generates and measures, for both of the lab's programs.
        .target(
            name: "BenchCommands",
            dependencies: [
                "CommandSupport", "PerformanceTesting", "Daybook", "KeyValue", "Threading", "Injection", "LabSupport",
                "Measuring", "Workloads", "DiskRecording",
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
            ], path: "Sources/Programs/BenchCommands"),
        .executableTarget(
            name: "BenchProgram",
            dependencies: [
                "BenchCommands", "CommandSupport", "Daybook",
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
            ], path: "Sources/Programs/daybook-bench"),
        .executableTarget(
            name: "LabCommand",
            dependencies: [
                "BenchCommands", "PerformanceTesting", "CommandSupport", "Daybook", "KeyValue", "Threading",
                "Injection",
                "LabSupport", "Measuring", "DomainPacks", "Simulation", "DeviceSimulation", "DiskRecording",
                "CrashTesting",
                "Processes", "ProgramCrashes", "Workloads", "Fuzzing",
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
            ], path: "Sources/Programs/daybook-lab"
        ),
        // What tests of several targets need. In no product.
        .target(name: "TestSupport", dependencies: ["LabSupport"], path: "Tests/TestSupport"),
        .testTarget(
            name: "ThreadingTests",
            dependencies: ["Threading", "ByteStreams", "Snapshots", "Records", "CivilTime", "TestSupport"]),
        .testTarget(name: "CivilTimeTests", dependencies: ["CivilTime", "TestSupport"]),
        .executableTarget(
            name: "StoreProcess",
            dependencies: ["KeyValue", "CDiskLog", "Injection", "TestSupport"],
            path: "Tests/Processes/StoreProcess"
        ),
        .executableTarget(
            name: "ReplicaProcess",
            dependencies: ["Sync", "DeviceSimulation", "Tasks", "Records", "CivilTime", "Injection"],
            path: "Tests/Processes/ReplicaProcess"
        ),
        .executableTarget(
            name: "CountingProcess",
            dependencies: ["DiskRecording", "Daybook", "Workloads"],
            path: "Tests/Processes/CountingProcess"
        ),
        // Changes files in every way that a recorder has to follow. In no product.
        .executableTarget(name: "TracedProcess", path: "Tests/Processes/TracedProcess"),
        // A gate of a few operations, as a user's program has it. In no product.
        .executableTarget(
            name: "GateProcess", dependencies: ["PerformanceTesting", "Daybook"], path: "Tests/Processes/GateProcess"),
        // What a program has in it that uses the library only. In no product.
        .executableTarget(name: "LibraryUser", dependencies: ["Daybook"], path: "Tests/Processes/LibraryUser"),
        // The least that a command can cost: Scripts/start. In no product.
        .executableTarget(
            name: "StartFloor",
            dependencies: ["CLMDB", .product(name: "ArgumentParser", package: "swift-argument-parser")],
            path: "Tests/Processes/StartFloor"
        ),
        .executableTarget(
            name: "AllocatingProcess",
            dependencies: ["Daybook", "CAllocationCount", "CDiskLog"],
            path: "Tests/Processes/AllocatingProcess"
        ),
        .testTarget(
            name: "KeyValueTests", dependencies: ["KeyValue", "Threading", "Injection", "StoreProcess", "TestSupport"]),
        .testTarget(name: "RecordsTests", dependencies: ["Records", "TestSupport"]),
        .testTarget(name: "ByteStreamsTests", dependencies: ["ByteStreams", "CivilTime", "TestSupport"]),
        .testTarget(
            name: "SnapshotsTests", dependencies: ["Snapshots", "ByteStreams", "Records", "CivilTime", "TestSupport"]),
        .testTarget(
            name: "ExchangeTests",
            dependencies: ["Exchange", "Tasks", "Journals", "Records", "ByteStreams", "CivilTime", "TestSupport"]),
        .testTarget(name: "TasksTests", dependencies: ["Tasks", "Daybook", "DomainPacks", "TestSupport"]),
        .testTarget(name: "JournalsTests", dependencies: ["Journals", "DomainPacks", "FormerVersions", "TestSupport"]),
        .testTarget(
            name: "QRCodesTests", dependencies: ["QRCodes", .product(name: "Crypto", package: "swift-crypto")]),
        .testTarget(
            name: "SyncTests",
            dependencies: [
                "Sync", "DeviceSimulation", "Tasks", "Journals", "Records", "CivilTime", "Injection", "LabSupport",
                "ReplicaProcess", "TestSupport",
            ]),
        .testTarget(name: "MeasuringTests", dependencies: ["Measuring", "LabSupport", "Daybook", "TestSupport"]),
        .testTarget(
            name: "WorkloadsTests",
            dependencies: ["LabSupport", "Measuring", "Workloads", "Daybook", "KeyValue", "TestSupport"]),
        .testTarget(
            name: "PerformanceTestingTests",
            dependencies: [
                "PerformanceTesting", "Measuring", "CommandSupport", "Daybook", "GateProcess", "TestSupport",
            ]),
        .testTarget(
            name: "ProjectTests",
            dependencies: [
                "Tasks", "Journals", "Records", "Injection", "LibraryUser", "DaybookCommand", "LabCommand", "Measuring",
                "Workloads", "AllocatingProcess", "DeviceSimulation", "Simulation", "TestSupport",
            ], exclude: ["PublicInterface.txt", "Requirements.txt"]),
        .testTarget(name: "DaybookTests", dependencies: ["Daybook", "TestSupport"]),
        .testTarget(
            name: "DaybookModelsTests", dependencies: ["DaybookModels", "Daybook", "Injection", "TestSupport"]),
        // The code of README.md and of the guides in Documentation/, with no more access than any user of the library has.
        .testTarget(name: "DocumentationTests", dependencies: ["Daybook", "Simulation"], packageAccess: false),
        .testTarget(
            name: "SimulationTests",
            dependencies: ["LabSupport", "Simulation", "CrashTesting", "Daybook", "CivilTime", "TestSupport"]),
        .testTarget(
            name: "CrashTestingTests",
            dependencies: [
                "CrashTesting", "DiskRecording", "DiskImages", "DomainPacks", "FormerVersions", "KeyValue", "CDiskLog",
                "Daybook", "LabSupport", "Threading",
                "CountingProcess", "TestSupport",
            ]),
        .testTarget(
            name: "ProgramCrashesTests", dependencies: ["ProgramCrashes", "CivilTime", "TracedProcess", "TestSupport"]),
        .testTarget(
            name: "DaybookCommandTests",
            dependencies: [
                "DaybookCommand", "CommandSupport", "Daybook", "LabCommand", "TestSupport", "CFaultAddress",
            ]),
        .testTarget(
            name: "LabCommandTests",
            dependencies: [
                "LabCommand", "BenchCommands", "CommandSupport", "Daybook", "DaybookCommand", "TestSupport",
            ]),
    ],
    swiftLanguageModes: [.v6]
)

// `Scripts/test --all` optimizes what is tested much, and keeps its assertions; `Scripts/demo` what it measures. Other code, and the
// packages that this one depends on, run too little there to be worth the time that it takes.
@MainActor func optimize(_ paths: [String], _ flags: [String], _ settings: [SwiftSetting] = []) {
    for target in package.targets where target.type != .system && paths.contains(where: target.lies(below:)) {
        target.swiftSettings =
            (target.swiftSettings ?? []) + [.unsafeFlags(["-O", "-wmo", "-num-threads", "2"] + flags)] + settings
        target.cSettings = (target.cSettings ?? []) + [.unsafeFlags(["-O2"])]
    }
}
if Context.environment["DAYBOOK_OPTIMIZED"] == "1" {
    optimize(
        ["Engine", "Domains", "Files", "Daybook", "Testing", "System"],
        ["-assert-config", "Debug"],
        // What is counted of it must not be compared with a build that is not optimized.
        [.define("OPTIMIZED_TESTS")])
}
if Context.environment["DAYBOOK_DEMO"] == "1" {
    optimize(["Engine", "Domains/Tasks", "Daybook", "Testing/CRawLMDB", "System"], [])
}

// `Scripts/test --logged`: every store of every test commits through the commit log, with the shortest logs.
if Context.environment["DAYBOOK_LOGGED"] == "1" {
    for target in package.targets where target.name == "KeyValue" {
        target.swiftSettings = (target.swiftSettings ?? []) + [.define("COMMITS_THROUGH_LOG")]
    }
}

// `Scripts/fuzz --deep`: libFuzzer follows the branches that an input reaches, and llvm-cov counts the lines.
if Context.environment["DAYBOOK_FUZZER"] == "1" {
    package.targets += [
        .target(name: "CPageFuzzer", path: "Tests/Processes/CPageFuzzer"),
        .executableTarget(
            name: "PageFuzzer", dependencies: ["KeyValue", "CPageFuzzer"], path: "Tests/Processes/PageFuzzer",
            linkerSettings: [.unsafeFlags(["-profile-generate"]), .linkedLibrary("stdc++")]),
    ]
    for target in package.targets where target.name == "KeyValue" {
        target.swiftSettings =
            (target.swiftSettings ?? []) + [
                .unsafeFlags(["-sanitize=fuzzer", "-profile-generate", "-profile-coverage-mapping"])
            ]
    }
}

// SwiftPM compiles a target again when a module has changed that its dependencies name, and no other. But the layout of a structure
// reaches further: `Daybook` keeps `StoreOptions` of `Records`, which keeps an `EnvironmentConfiguration` of `KeyValue`. Compiled for
// the size that this had before, it would overwrite its stack. So a target names everything that it is built from, and a library does.
let sources = Dictionary(uniqueKeysWithValues: package.targets.map { ($0.name, $0) })
for target in package.targets {
    var names = Set(target.dependencies.map(\.name))
    // Grows while it is read.
    var index = 0
    while index < target.dependencies.count {
        let added = sources[target.dependencies[index].name]?.dependencies.filter { names.insert($0.name).inserted }
        target.dependencies += added ?? []
        index += 1
    }
}

// `Scripts/demo` builds two programs in one call, which need neither the simulator, nor the crash lab, nor the tests' programs.
if Context.environment["DAYBOOK_DEMO"] == "1" {
    package.products.removeAll { !["daybook", "daybook-bench"].contains($0.name) }
    let programs = ["DaybookCommand", "BenchProgram"]
    let needed = Set(programs + programs.flatMap { sources[$0]?.dependencies.map(\.name) ?? [] })
    package.targets.removeAll { !needed.contains($0.name) }
}

package.products = package.products.map { product in
    guard let library = product as? Product.Library else { return product }
    let below = library.targets.flatMap { sources[$0]?.dependencies ?? [] }.map(\.name)
    let compiled = Set(library.targets + below).filter { sources[$0].map { $0.type != .system } ?? false }
    return .library(name: library.name, targets: compiled.sorted())
}

extension Target {
    func lies(below folder: String) -> Bool {
        path?.hasPrefix("Sources/\(folder)/") == true || path == "Sources/\(folder)"
    }
}

extension Target.Dependency {
    var name: String {
        switch self {
        case .targetItem(let name, _), .byNameItem(let name, _), .productItem(let name, _, _, _): name
        @unknown default: ""
        }
    }
}
