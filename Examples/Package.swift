// swift-tools-version: 6.2
import PackageDescription

let daybook: Target.Dependency = .product(name: "Daybook", package: "daybook")
let models: Target.Dependency = .product(name: "DaybookModels", package: "daybook")

/// An application without pixels: its models, a program that shows it in a terminal, and its stories as tests.
func application(_ name: String) -> [Target] {
    [
        .executableTarget(name: name, dependencies: [daybook, models, "Terminal"], path: "Apps/\(name)"),
        .testTarget(name: "\(name)Tests", dependencies: [.target(name: name), "StorySupport", daybook, models]),
    ]
}

// Copy this package and replace the path by the repository's address.
let package = Package(
    name: "examples",
    products: [
        .executable(name: "Tasks", targets: ["TaskManager"]),
        .executable(name: "Lists", targets: ["ReminderLists"]),
        .executable(name: "Threads", targets: ["ThreadJournal"]),
        .executable(name: "Stack", targets: ["DayPlanner"]),
    ],
    dependencies: [.package(name: "daybook", path: "..")],
    targets: [
        .executableTarget(name: "Greenhouse", dependencies: [daybook]),
        // Two of its files are links: a program cannot import another one.
        .executableTarget(
            name: "GreenhouseGate", dependencies: [daybook, .product(name: "PerformanceTesting", package: "daybook")]),
        .testTarget(
            name: "GreenhouseTests",
            dependencies: ["Greenhouse", .product(name: "Simulation", package: "daybook")],
            // Read where they are.
            exclude: ["Scenarios"]),
        .target(name: "Terminal", path: "Apps/Terminal"),
        .target(name: "StorySupport", dependencies: [daybook], path: "Tests/StorySupport"),
    ] + ["TaskManager", "ReminderLists", "ThreadJournal", "DayPlanner"].flatMap(application),
    swiftLanguageModes: [.v6]
)
