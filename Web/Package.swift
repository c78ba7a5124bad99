// swift-tools-version: 6.2
import PackageDescription

let daybook: [Target.Dependency] = [
    .product(name: "Daybook", package: "daybook"), .product(name: "DaybookModels", package: "daybook"),
]

let package = Package(
    name: "web",
    products: [.executable(name: "daybook-web", targets: ["WebCommand"])],
    dependencies: [
        .package(name: "daybook", path: ".."),
        .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.2"),
        .package(url: "https://github.com/swhitty/FlyingFox", exact: "0.27.1"),
    ],
    targets: [
        // The pages, what they ask for, and who may ask.
        .target(
            name: "WebServer",
            dependencies: daybook + [
                .product(name: "Charts", package: "daybook"), .product(name: "FlyingFox", package: "FlyingFox"),
            ],
            resources: [.embedInCode("Pages")]),
        .executableTarget(
            name: "WebCommand",
            dependencies: daybook + ["WebServer", .product(name: "ArgumentParser", package: "swift-argument-parser")],
            path: "Sources/daybook-web"),
        .testTarget(name: "WebServerTests", dependencies: daybook + ["WebServer"]),
    ],
    swiftLanguageModes: [.v6]
)
