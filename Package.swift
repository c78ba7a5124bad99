// swift-tools-version: 6.2
import PackageDescription

let package = Package(
    name: "daybook",
    platforms: [.macOS(.v26)],
    products: [
        .library(name: "Daybook", targets: ["Daybook"]),
        // For the package in Benchmarks/.
        .library(name: "Workloads", targets: ["Workloads", "CRawLMDB"]),
        // For tests of programs that keep their data in Daybook.
        .library(name: "Simulation", targets: ["Simulation"]),
        .executable(name: "daybook", targets: ["DaybookCommand"]),
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
            providers: [.apt(["liblmdb-dev"]), .brew(["lmdb"])]),
        .systemLibrary(
            name: "CZstd", path: "Sources/System/CZstd", pkgConfig: "libzstd",
            providers: [.apt(["libzstd-dev"]), .brew(["zstd"])]),
        .systemLibrary(name: "CTimerDescriptor", path: "Sources/System/CTimerDescriptor"),
        .systemLibrary(name: "CFolderExchange", path: "Sources/System/CFolderExchange"),
        .target(name: "Threading", path: "Sources/System/Threading", swiftSettings: [.strictMemorySafety()]),
        // The one seam for fault injection (decision 0016); only this package can arm a point.
        .target(name: "Injection", path: "Sources/System/Injection"),
        .target(name: "CivilTime", dependencies: ["Threading", "CTimerDescriptor"], path: "Sources/Engine/CivilTime"),
        .target(
            name: "KeyValue",
            dependencies: ["CLMDB", "Threading", "Injection"], path: "Sources/Engine/KeyValue",
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
            dependencies: ["Records", "CivilTime", "Threading", .product(name: "Logging", package: "swift-log")],
            path: "Sources/Domains/Tasks"
        ),
        .target(
            name: "ByteStreams", dependencies: ["CivilTime", "Threading", "Injection", "CZstd"],
            path: "Sources/Files/ByteStreams"),
        .target(
            name: "Snapshots",
            dependencies: [
                "ByteStreams", "Records", "CivilTime", "Threading", "CFolderExchange",
                .product(name: "Crypto", package: "swift-crypto"),
                .product(name: "CryptoExtras", package: "swift-crypto"),
            ], path: "Sources/Files/Snapshots"
        ),
        .target(
            name: "Exchange",
            dependencies: [
                "ByteStreams", "Snapshots", "Tasks", "Records", "CivilTime", "Threading",
                .product(name: "Crypto", package: "swift-crypto"),
            ], path: "Sources/Files/Exchange"
        ),
        .target(
            name: "Daybook", dependencies: ["Tasks", "ByteStreams", "Snapshots", "Exchange", "Threading"],
            path: "Sources/Daybook/Daybook"),
        // Plain LMDB in C, for the same bytes: the floor that the benchmarks set beside Daybook.
        .target(name: "CRawLMDB", dependencies: ["CLMDB"], path: "Sources/Testing/CRawLMDB"),
        // What the parts of the lab share: random numbers, HTML pages.
        .target(
            name: "LabSupport", path: "Sources/Testing/LabSupport", resources: [.embedInCode("Resources/base.css")]),
        .target(
            name: "Workloads", dependencies: ["LabSupport", "Daybook", "CRawLMDB", "Threading"],
            path: "Sources/Testing/Workloads"),
        .target(
            name: "Simulation",
            dependencies: [
                "LabSupport", "Daybook", "Threading", .product(name: "Crypto", package: "swift-crypto"),
                .product(name: "Yams", package: "Yams"),
            ], path: "Sources/Testing/Simulation",
            resources: [
                .embedInCode("Page/Resources/timeline.css"), .embedInCode("Page/Resources/timeline.js"),
            ]),
        // Takes the place of libc's file calls: in the program and the tests, never in a library product.
        .target(name: "CDiskLog", path: "Sources/Testing/CDiskLog"),
        // The same for malloc: in the program, never in a library product.
        .target(name: "CAllocationCount", path: "Sources/Testing/CAllocationCount"),
        .target(
            name: "CrashTesting",
            dependencies: [
                "Daybook", "Tasks", "ByteStreams", "Snapshots", "Exchange", "Records", "KeyValue", "CivilTime",
                "Threading", "Injection", "LabSupport", "Simulation", "CDiskLog",
            ], path: "Sources/Testing/CrashTesting"),
        .executableTarget(
            name: "DaybookCommand",
            dependencies: [
                "Daybook", "KeyValue", "Threading", "LabSupport", "Workloads", "Simulation", "CrashTesting",
                "CAllocationCount", "Injection",
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
                .product(name: "Logging", package: "swift-log"),
            ], path: "Sources/Programs/daybook"
        ),
        // What tests of several targets need. In no product.
        .target(name: "TestSupport", path: "Tests/TestSupport"),
        .testTarget(
            name: "ThreadingTests",
            dependencies: ["Threading", "ByteStreams", "Snapshots", "Records", "CivilTime", "TestSupport"]),
        .testTarget(name: "CivilTimeTests", dependencies: ["CivilTime"]),
        .executableTarget(
            name: "StoreProcess",
            dependencies: ["KeyValue", "CDiskLog"],
            path: "Tests/StoreProcess"
        ),
        .executableTarget(
            name: "CountingProcess",
            dependencies: ["CrashTesting", "Daybook", "Workloads"],
            path: "Tests/CountingProcess"
        ),
        // What a program has in it that uses the library only. In no product.
        .executableTarget(name: "LibraryUser", dependencies: ["Daybook"], path: "Tests/LibraryUser"),
        .executableTarget(
            name: "AllocatingProcess",
            dependencies: ["Daybook", "CAllocationCount", "CDiskLog"],
            path: "Tests/AllocatingProcess"
        ),
        // Tries every reader with damaged files: Scripts/fuzz.
        .executableTarget(
            name: "FuzzProcess",
            dependencies: [
                "Daybook", "Tasks", "ByteStreams", "Snapshots", "Exchange", "Records", "KeyValue", "CivilTime",
                .product(name: "Crypto", package: "swift-crypto"),
                .product(name: "CryptoExtras", package: "swift-crypto"),
            ],
            path: "Tests/FuzzProcess"
        ),
        .testTarget(name: "KeyValueTests", dependencies: ["KeyValue", "Threading", "StoreProcess", "TestSupport"]),
        .testTarget(name: "RecordsTests", dependencies: ["Records"]),
        .testTarget(name: "ByteStreamsTests", dependencies: ["ByteStreams", "CivilTime", "TestSupport"]),
        .testTarget(
            name: "SnapshotsTests", dependencies: ["Snapshots", "ByteStreams", "Records", "CivilTime", "TestSupport"]),
        .testTarget(name: "ExchangeTests", dependencies: ["Exchange", "ByteStreams", "CivilTime", "TestSupport"]),
        .testTarget(name: "TasksTests", dependencies: ["Tasks"]),
        .testTarget(name: "WorkloadsTests", dependencies: ["LabSupport", "Workloads", "Daybook"]),
        .testTarget(
            name: "ProjectTests",
            dependencies: ["LibraryUser", "DaybookCommand", "AllocatingProcess", "FuzzProcess", "TestSupport"]),
        .testTarget(name: "DaybookTests", dependencies: ["Daybook"]),
        // The code of README.md and of the guides in Documentation/.
        .testTarget(name: "DocumentationTests", dependencies: ["Daybook", "Simulation"]),
        .testTarget(name: "SimulationTests", dependencies: ["LabSupport", "Simulation", "CrashTesting", "Daybook"]),
        .testTarget(
            name: "CrashTestingTests",
            dependencies: ["CrashTesting", "KeyValue", "CDiskLog", "Daybook", "CountingProcess", "TestSupport"]),
        .testTarget(name: "DaybookCommandTests", dependencies: ["DaybookCommand", "Daybook", "Workloads"]),
    ],
    swiftLanguageModes: [.v6]
)
