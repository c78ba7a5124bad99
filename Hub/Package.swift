// swift-tools-version: 6.2
import PackageDescription

// A separate package, so that networking and databases never reach a user of the library.
let package = Package(
    name: "hub",
    products: [
        .executable(name: "daybook-hub", targets: ["HubCommand"]),
        .executable(name: "daybook-sync", targets: ["SyncCommand"]),
        // Sync in the process of an application.
        .library(name: "DaybookHubSync", targets: ["DaybookHubSync", "HubClient", "HubMessages"]),
        // For measurements and for crash tests of a hub.
        .executable(name: "hub-load", targets: ["HubLoad"]),
    ],
    dependencies: [
        .package(name: "daybook", path: ".."),
        .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.2"),
        .package(url: "https://github.com/apple/swift-certificates", from: "1.15.0"),
        .package(url: "https://github.com/apple/swift-collections", from: "1.6.0"),
        .package(url: "https://github.com/apple/swift-crypto", from: "4.5.2"),
        .package(url: "https://github.com/apple/swift-http-types", from: "1.5.0"),
        .package(url: "https://github.com/apple/swift-log", from: "1.16.2"),
        .package(url: "https://github.com/apple/swift-nio", from: "2.101.2"),
        .package(url: "https://github.com/apple/swift-nio-ssl", from: "2.37.6"),
        .package(url: "https://github.com/hummingbird-project/hummingbird", exact: "2.28.1", traits: []),
        .package(url: "https://github.com/swift-server/swift-service-lifecycle", from: "2.13.0"),
        .package(url: "https://github.com/swift-server/async-http-client", exact: "1.37.0"),
    ],
    targets: [
        // What a hub and a device say to each other besides the messages of DaybookSync. No networking.
        .target(
            name: "HubMessages", dependencies: [.product(name: "DaybookSync", package: "daybook")],
            exclude: ["README.md"]),
        // A device's side of the protocol over HTTPS.
        .target(
            name: "HubClient",
            dependencies: [
                "HubMessages", .product(name: "DaybookSync", package: "daybook"),
                .product(name: "AsyncHTTPClient", package: "async-http-client"),
                .product(name: "NIOCore", package: "swift-nio"), .product(name: "NIOHTTP1", package: "swift-nio"),
                .product(name: "NIOSSL", package: "swift-nio-ssl"),
            ]),
        // Keeps a store in sync with its hub: for applications, and what `daybook-sync` does.
        .target(
            name: "DaybookHubSync",
            dependencies: [
                "HubClient", .product(name: "Daybook", package: "daybook"),
                .product(name: "DaybookSync", package: "daybook"),
            ]),
        // What a hub does, over any storage: the protocol of storages, and the rules of pushing and pulling.
        .target(
            name: "HubCore",
            dependencies: [
                "HubMessages", .product(name: "DaybookSync", package: "daybook"),
                .product(name: "Crypto", package: "swift-crypto"),
            ]),
        // A hub's storage in a Daybook store.
        .target(
            name: "EmbeddedHub",
            dependencies: [
                "HubCore", "HubMessages", .product(name: "Daybook", package: "daybook"),
                .product(name: "DaybookSync", package: "daybook"),
            ]),
        .systemLibrary(
            name: "CPostgres", pkgConfig: "libpq", providers: [.apt(["libpq-dev"])]),
        // libpq made safe: connections, pipelines, transactions that are retried.
        .target(
            name: "Postgres",
            dependencies: ["CPostgres", .product(name: "DequeModule", package: "swift-collections")]),
        // A hub's storage in a database that speaks PostgreSQL's protocol.
        .target(
            name: "PostgresHub",
            dependencies: [
                "HubCore", "HubMessages", "Postgres", .product(name: "DaybookSync", package: "daybook"),
            ]),
        .target(
            name: "HubServer",
            dependencies: [
                "HubCore", "HubMessages", .product(name: "Daybook", package: "daybook"),
                .product(name: "DaybookSync", package: "daybook"),
                .product(name: "Crypto", package: "swift-crypto"),
                .product(name: "DequeModule", package: "swift-collections"),
                .product(name: "HTTPTypes", package: "swift-http-types"),
                .product(name: "Hummingbird", package: "hummingbird"),
                .product(name: "HummingbirdCore", package: "hummingbird"),
                .product(name: "HummingbirdTLS", package: "hummingbird"),
                .product(name: "Logging", package: "swift-log"),
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "NIOSSL", package: "swift-nio-ssl"),
                .product(name: "ServiceLifecycle", package: "swift-service-lifecycle"),
                .product(name: "UnixSignals", package: "swift-service-lifecycle"),
            ]),
        .executableTarget(
            name: "HubCommand",
            dependencies: [
                "HubCore", "HubServer", "EmbeddedHub", "Postgres", "PostgresHub",
                .product(name: "DaybookSync", package: "daybook"),
                .product(name: "Daybook", package: "daybook"),
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
                .product(name: "Logging", package: "swift-log"),
                .product(name: "ServiceLifecycle", package: "swift-service-lifecycle"),
            ], path: "Sources/daybook-hub"),
        .executableTarget(
            name: "SyncCommand",
            dependencies: [
                "HubClient", "HubMessages", "DaybookHubSync", .product(name: "Daybook", package: "daybook"),
                .product(name: "DaybookSync", package: "daybook"),
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
            ], path: "Sources/daybook-sync"),
        .executableTarget(
            name: "HubLoad",
            dependencies: [
                "HubClient", "HubMessages", "DaybookHubSync", .product(name: "Daybook", package: "daybook"),
                .product(name: "DaybookSync", package: "daybook"),
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
                .product(name: "AsyncHTTPClient", package: "async-http-client"),
                .product(name: "Crypto", package: "swift-crypto"),
                .product(name: "NIOCore", package: "swift-nio"), .product(name: "NIOHTTP1", package: "swift-nio"),
                .product(name: "NIOPosix", package: "swift-nio"), .product(name: "Workloads", package: "daybook"),
            ], path: "Sources/hub-load"),
        .target(
            name: "HubTestSupport",
            dependencies: [
                "HubCore", "HubMessages", "EmbeddedHub", "PostgresHub", "Postgres",
                .product(name: "Daybook", package: "daybook"), .product(name: "DaybookSync", package: "daybook"),
            ], path: "Tests/HubTestSupport"),
        .testTarget(
            name: "HubCoreTests",
            dependencies: ["HubTestSupport", .product(name: "Crypto", package: "swift-crypto")]),
        .testTarget(
            name: "HubClientTests",
            dependencies: [
                "HubClient", "HubServer", "HubTestSupport", "DaybookHubSync",
                // For the stories of an application of Examples/Apps, whose source is linked here.
                .product(name: "Daybook", package: "daybook"), .product(name: "DaybookModels", package: "daybook"),
                .product(name: "Hummingbird", package: "hummingbird"),
                .product(name: "ServiceLifecycle", package: "swift-service-lifecycle"),
            ]),
        .testTarget(name: "PostgresTests", dependencies: ["HubTestSupport"]),
        .testTarget(
            name: "HubServerTests",
            dependencies: [
                "HubServer", "HubTestSupport",
                .product(name: "HTTPTypes", package: "swift-http-types"),
                .product(name: "HummingbirdTesting", package: "hummingbird"),
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "NIOSSL", package: "swift-nio-ssl"),
                .product(name: "X509", package: "swift-certificates"),
            ]),
    ],
    swiftLanguageModes: [.v6]
)

// A target names everything that it is built from: ../Package.swift has the reason.
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

extension Target.Dependency {
    var name: String {
        switch self {
        case .targetItem(let name, _), .byNameItem(let name, _), .productItem(let name, _, _, _): name
        @unknown default: ""
        }
    }
}
