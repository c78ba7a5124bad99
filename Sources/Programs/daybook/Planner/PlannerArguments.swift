import ArgumentParser
import Daybook

// Regions and buckets by their names on the command line.

extension TaskRegion: ExpressibleByArgument {
    /// The value of a name on the command line.
    public init?(argument: String) { self.init(name: argument.lowercased()) }

    /// The name in the help.
    public var defaultValueDescription: String { name }

    /// The names that the command line takes.
    public static var allValueStrings: [String] { ordered.map(\.name) }
}

extension TaskBucket: ExpressibleByArgument {
    /// The value of a name on the command line.
    public init?(argument: String) { self.init(name: argument.lowercased()) }

    /// The name in the help.
    public var defaultValueDescription: String { name }

    /// The names that the command line takes.
    public static var allValueStrings: [String] { ordered.map(\.name) }
}

extension ArgumentHelp {
    /// The help of a region.
    static var region: ArgumentHelp {
        ArgumentHelp("The part of the day: morning, afternoon, evening or backlog.", valueName: "region")
    }

    /// The help of a bucket.
    static var bucket: ArgumentHelp {
        ArgumentHelp("The weight: must, complementary, misc or none.", valueName: "bucket")
    }
}
