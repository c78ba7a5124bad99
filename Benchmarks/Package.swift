// swift-tools-version: 6.2
import PackageDescription

// A separate package, so that the dependencies of the benchmarks never reach a user of the library.
let package = Package(
    name: "benchmarks",
    dependencies: [
        .package(name: "daybook", path: ".."),
        // Without traits: counting allocations needs jemalloc, which is not available everywhere.
        .package(url: "https://github.com/ordo-one/benchmark", exact: "1.38.1", traits: []),
        .package(url: "https://github.com/groue/GRDB.swift", exact: "7.10.0"),
    ],
    targets: [
        .executableTarget(
            name: "Micro",
            dependencies: [
                .product(name: "Daybook", package: "daybook"),
                .product(name: "Workloads", package: "daybook"),
                .product(name: "Benchmark", package: "benchmark"),
            ],
            path: "Micro",
            plugins: [.plugin(name: "BenchmarkPlugin", package: "benchmark")]
        ),
        // SQLite's C API, used as a program in C would.
        .target(name: "CSQLitePeer", linkerSettings: [.linkedLibrary("sqlite3")]),
        // The same work by Daybook and its peers, in one run.
        .executableTarget(
            name: "Peers",
            dependencies: [
                "CSQLitePeer",
                .product(name: "Daybook", package: "daybook"),
                .product(name: "Workloads", package: "daybook"),
                .product(name: "GRDB", package: "GRDB.swift"),
            ]
        ),
    ],
    swiftLanguageModes: [.v6]
)
