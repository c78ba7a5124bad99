import ArgumentParser
import Daybook
import FoundationEssentials

/// The options of every command.
package struct GlobalOptions: ParsableArguments {
    /// The options that take a value, as they are written on the command line.
    package static let namesWithValue = ["--store", "--zone", "--now", "--week-start", "--wait"]

    /// All of them.
    package static let names = namesWithValue + ["--json"]

    @Option(
        help: ArgumentHelp(
            "The store's folder. Default: $DAYBOOK_STORE, else $XDG_DATA_HOME/daybook, else ~/.local/share/daybook.",
            valueName: "dir"),
        completion: .directory)
    package var store: String?

    @Option(help: ArgumentHelp("The time zone that determines today. Default: the system's.", valueName: "iana"))
    package var zone: String?

    @Option(
        help: ArgumentHelp(
            "Run the command as if at this instant, such as 2026-02-10T09:15:00Z.", valueName: "instant"))
    package var now: String?

    @Option(help: "The first day of the week. Default: the locale's.")
    package var weekStart: WeekStart?

    @Option(
        help: ArgumentHelp(
            "How long to wait for another process that writes to the store; 0 for not at all. Default: as long as it takes.",
            valueName: "seconds"))
    package var wait: [WaitOption] = []

    @Flag(help: "Print JSON.")
    package var json = false

    package init() {}

    /// The days on which weeks begin, in one country or another.
    package enum WeekStart: String, CaseIterable, ExpressibleByArgument {
        case monday, sunday, saturday

        var weekday: Weekday {
            switch self {
            case .monday: .monday
            case .sunday: .sunday
            case .saturday: .saturday
            }
        }
    }

    /// Returns the store and the time source that these options select. Nothing is opened yet.
    ///
    /// - Parameter takesWaitDay: Whether `--wait` may also name a day, which `waitWords` returns.
    package func session(takingWaitDay takesWaitDay: Bool = false) throws -> Session {
        if !takesWaitDay, waitWords != nil {
            throw CommandError.usage(
                "--wait needs a number of seconds here, such as 5. To hide a task, use 'daybook wait'.")
        }
        let limits = wait.compactMap { if case .limit(let limit) = $0 { limit } else { nil } }
        return Session(path: try folder, context: try context, lockWait: .reporting(limit: limits.last))
    }

    /// The last value of `--wait` that is no number of seconds.
    package var waitWords: String? {
        wait.compactMap { if case .words(let words) = $0 { words } else { nil } }.last
    }

    private var folder: String {
        get throws {
            if let store {
                guard !store.isEmpty else {
                    throw CommandError.usage("--store needs a folder. Name one, or leave it out.")
                }
                return store
            }
            guard let folder = DaybookStore.standardFolder(in: ProcessInfo.processInfo.environment) else {
                throw CommandError.usage(
                    "$HOME is not set, so there is no default folder for the store. Name one with --store.")
            }
            return folder
        }
    }

    private var context: Context {
        get throws {
            var context = Context.system
            if let now {
                context.clock = SettableClock(try Instant(now), monotonic: SystemClock().monotonic)
            }
            if let zone {
                context.zones = SettableZone(try Zone(zone))
            } else {
                warnAboutUnusableSystemZone()
            }
            if let weekStart { context.weekStart = weekStart.weekday }
            return context
        }
    }

    /// The library then uses another zone, and "today" may be another day than the person expects.
    private func warnAboutUnusableSystemZone() {
        do {
            _ = try Zone.system()
        } catch {
            let used = Context.system.zone.identifier
            let isVariable = ProcessInfo.processInfo.environment["TZ"] != nil
            let what = isVariable ? "The time zone in $TZ" : "The system's time zone"
            Output.report("\(what) cannot be used, so \(used) is used. \(error) Or name one with --zone.")
        }
    }
}
