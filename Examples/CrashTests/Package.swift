// swift-tools-version: 6.2
import PackageDescription

// Crash tests of the example beside this package. They have a separate package, since `CrashTesting` replaces libc's
// file calls in everything it is linked with. Linux only.
let package = Package(
    name: "crash-tests",
    dependencies: [.package(name: "daybook", path: "../..")],
    targets: [
        // A link to the example's sources.
        .executableTarget(name: "Greenhouse", dependencies: [.product(name: "Daybook", package: "daybook")]),
        .testTarget(
            name: "GreenhouseCrashTests",
            dependencies: ["Greenhouse", .product(name: "CrashTesting", package: "daybook")]),
    ],
    swiftLanguageModes: [.v6]
)
