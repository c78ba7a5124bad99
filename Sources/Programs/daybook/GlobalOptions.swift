import ArgumentParser
import Daybook
import FoundationEssentials

/// The options of every command.
struct GlobalOptions: ParsableArguments {
    /// Those that take a value, by the name they have on the command line.
    static let namesWithValue = ["--store", "--zone", "--now", "--week-start"]

    /// All of them.
    static let names = namesWithValue + ["--json"]

    @Option(
        help: ArgumentHelp(
            "The store's folder. Default: $DAYBOOK_STORE, else $XDG_DATA_HOME/daybook, else ~/.local/share/daybook.",
            valueName: "dir"),
        completion: .directory)
    var store: String?

    @Option(help: ArgumentHelp("The time zone that decides what is today. Default: the system's.", valueName: "iana"))
    var zone: String?

    @Option(
        help: ArgumentHelp(
            "Runs the command as if at that moment, such as 2026-02-10T09:15:00Z.", valueName: "instant"))
    var now: String?

    @Option(help: "The first day of the week. Default: the locale's.")
    var weekStart: WeekStart?

    @Flag(help: "Prints JSON.")
    var json = false

    /// The days on which weeks start somewhere.
    enum WeekStart: String, CaseIterable, ExpressibleByArgument {
        case monday, sunday, saturday

        var weekday: Weekday {
            switch self {
            case .monday: .monday
            case .sunday: .sunday
            case .saturday: .saturday
            }
        }
    }

    /// The store and the time that these options name. Nothing is opened yet.
    func session() throws -> Session {
        Session(path: try folder, context: try context)
    }

    private var folder: String {
        get throws {
            if let store {
                guard !store.isEmpty else {
                    throw CommandError.usage("--store needs a folder. Name one, or leave it out.")
                }
                return store
            }
            let environment = ProcessInfo.processInfo.environment
            if let folder = environment["DAYBOOK_STORE"], !folder.isEmpty { return folder }
            // The specification wants relative paths ignored.
            if let data = environment["XDG_DATA_HOME"], data.hasPrefix("/") { return data + "/daybook" }
            guard let home = environment["HOME"], !home.isEmpty else {
                throw CommandError.usage("$HOME is not set, so there is no place for the store. Name one with --store.")
            }
            return home + "/.local/share/daybook"
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
                warnOfUnusableSystemZone()
            }
            if let weekStart { context.weekStart = weekStart.weekday }
            return context
        }
    }

    /// The library goes on in UTC then, and "today" may be another day than the person thinks.
    private func warnOfUnusableSystemZone() {
        do {
            _ = try Zone.system()
        } catch {
            Output.tell("The system's time zone is not usable, so UTC is used. \(error) Or name one with --zone.")
        }
    }
}
