// swift-tools-version: 6.2
import PackageDescription

// A package of its own, so that what the benchmarks need never reaches a user of the library.
let package = Package(
    name: "benchmarks",
    platforms: [.macOS(.v26)],
    dependencies: [.package(name: "daybook", path: "..")],
    targets: [
        .executableTarget(
            name: "Measure",
            dependencies: [
                .product(name: "Daybook", package: "daybook"),
                .product(name: "Workloads", package: "daybook"),
            ]
        )
    ],
    swiftLanguageModes: [.v6]
)
