import ArgumentParser
import CommandSupport
import Daybook

struct Place: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Place tasks in a region and a bucket of their day.",
        discussion: """
            What is not given stays. A task without a day gets today, and a task that comes into a bucket is last there. \
            A bucket takes 1, 3 or 5 tasks that are not completed in each region of a day: must, complementary, misc. \
            Several ids are one change: all tasks are placed, or none.

            Examples:
              daybook place 3c2f --region morning --bucket must
              daybook place 3c2f 81d0 --region evening
              daybook place 3c2f --bucket none
            """)

    @Argument(help: .taskIDs) var ids: [String]
    @Option(help: .region) var region: TaskRegion?
    @Option(help: .bucket) var bucket: TaskBucket?
    @OptionGroup var options: GlobalOptions

    func validate() throws {
        guard region != nil || bucket != nil else { throw ValidationError("Give --region, --bucket, or both.") }
    }

    func run() async throws {
        let names = [region?.name, bucket.map { "\($0.name)" }].compactMap { $0 }.joined(separator: ", ")
        let (region, bucket) = (region, bucket)
        try await options.change(ids, "Placed", " in \(names)") {
            try await $0.place($1, region: region, bucket: bucket)
        }
    }
}

struct Sticky: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Show a task before the others of its bucket.",
        discussion: """
            Examples:
              daybook sticky 3c2f
              daybook sticky 3c2f --off
            """)

    @Argument(help: .taskID) var id: String
    @Flag(help: "No longer.") var off = false
    @OptionGroup var options: GlobalOptions

    func run() async throws {
        let isSticky = !off
        try await options.change([id], isSticky ? "Made" : "Stopped", isSticky ? " sticky" : " being sticky") {
            try await $0.setSticky($1, to: isSticky)
        }
    }
}

struct AutoCarry: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "auto-carry",
        abstract: "Let 'daybook rollover' carry a task to the next day while it is open.",
        discussion: """
            Without this a task stays on its day.

            Examples:
              daybook auto-carry 3c2f
              daybook auto-carry 3c2f --off
            """)

    @Argument(help: .taskID) var id: String
    @Flag(help: "No longer.") var off = false
    @OptionGroup var options: GlobalOptions

    func run() async throws {
        let autoCarry = !off
        try await options.change([id], autoCarry ? "Will carry" : "Will not carry", autoCarry ? " to the next day" : "")
        {
            try await $0.setAutoCarry($1, to: autoCarry)
        }
    }
}

struct Expires: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Set or remove the time after which 'daybook expire' archives a task.",
        discussion: """
            WHEN is a day (its end), a time of day on a day (tomorrow 09:00; 09:00 alone is today), an instant, or none.

            Examples:
              daybook expires 3c2f fri
              daybook expires 3c2f tomorrow 17:30
              daybook expires 3c2f 2026-02-11T07:00:00Z
              daybook expires 3c2f none
            """)

    @Argument(help: .taskID) var id: String
    @Argument(help: "A day, a day and a time, a time of today, an instant, or none.") var when: [String]
    @OptionGroup var options: GlobalOptions

    func run() async throws {
        let session = try options.session()
        let zone = session.context.zone
        let moment = try session.moment(when).map { TaskDue($0).end(in: zone) }
        let words = moment == nil ? "" : " to \(when.joined(separator: " "))"
        try await options.change([id], moment == nil ? "Removed the expiry of" : "Set the expiry of", words) {
            try await $0.setExpiry($1, to: moment)
        }
    }
}
