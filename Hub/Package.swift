// swift-tools-version: 6.2
import PackageDescription

// A separate package, so that networking and databases never reach a user of the library.
let package = Package(
    name: "hub",
    platforms: [.macOS(.v26)],
    dependencies: [
        .package(name: "daybook", path: "..")
    ],
    targets: [
        // What a hub and a device say to each other besides the messages of DaybookSync. No networking.
        .target(name: "HubMessages", dependencies: [.product(name: "DaybookSync", package: "daybook")])
    ],
    swiftLanguageModes: [.v6]
)
