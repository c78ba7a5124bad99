// swift-tools-version: 6.2
import PackageDescription

// Copy this package and replace the path by the repository's address.
let package = Package(
    name: "examples",
    dependencies: [.package(name: "daybook", path: "..")],
    targets: [
        .executableTarget(name: "Greenhouse", dependencies: [.product(name: "Daybook", package: "daybook")]),
        .testTarget(
            name: "GreenhouseTests",
            dependencies: ["Greenhouse", .product(name: "Simulation", package: "daybook")],
            // Read where they are.
            exclude: ["Scenarios"]),
    ],
    swiftLanguageModes: [.v6]
)
