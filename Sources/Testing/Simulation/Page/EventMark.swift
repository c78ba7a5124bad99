/// The symbol of an event on the timeline. Symbols differ in shape, so that none depends on color.
enum EventMark: String, CaseIterable {
    case operation, refused, elsewhere, expectation, time, jump, travel, sleep, wake, crash, fault, close, open, machine

    init(_ event: StoryEvent) {
        let verb = event.text.prefix { $0 != ":" && $0 != " " }
        switch event.kind {
        case .operation:
            self = event.outcome.hasPrefix("refused") ? .refused : verb == "elsewhere" ? .elsewhere : .operation
        case .expectation:
            self = .expectation
        case .time:
            switch verb {
            case "jump": self = .jump
            case "travel": self = .travel
            default: self = .time
            }
        case .machine:
            switch verb {
            case "sleep": self = .sleep
            case "wake": self = .wake
            case "close": self = .close
            case "open": self = .open
            case "fault": self = .fault
            case "crash": self = .crash
            default: self = .machine
            }
        }
    }

    /// The meaning, for the legend.
    var meaning: String {
        switch self {
        case .operation: "operation"
        case .refused: "refused"
        case .elsewhere: "another process"
        case .expectation: "check"
        case .time: "time passes"
        case .jump: "clock step"
        case .travel: "travel"
        case .sleep: "sleep"
        case .wake: "wake"
        case .crash: "crash"
        case .fault: "fault"
        case .close: "close"
        case .open: "open"
        case .machine: "machine"
        }
    }

    /// The shape in a square of 16 units.
    private var shape: String {
        switch self {
        case .operation: #"<circle cx="8" cy="8" r="5" class="f"/>"#
        case .refused: #"<circle cx="8" cy="8" r="5" class="h"/><path d="M4.5 11.5 11.5 4.5" class="k"/>"#
        case .elsewhere: #"<path d="M8 2 14 8 8 14 2 8Z" class="f"/>"#
        case .expectation: #"<circle cx="8" cy="8" r="4" class="h"/><circle cx="8" cy="8" r="1.2" class="f"/>"#
        case .time: #"<path d="M3 8H13" class="k"/>"#
        case .jump: #"<path d="M1 8 4 4 8 12 12 4 15 8" class="h"/>"#
        case .travel: #"<circle cx="8" cy="8" r="6" class="h"/><path d="M5 8H11M8.5 5.5 11 8 8.5 10.5" class="k"/>"#
        case .sleep: #"<path d="M10.5 2.5A6 6 0 1 0 13.8 10.5 5 5 0 0 1 10.5 2.5Z" class="f"/>"#
        case .wake:
            #"<circle cx="8" cy="8" r="3" class="h"/><path d="M8 1V3M8 13V15M1 8H3M13 8H15M3 3 4.5 4.5M11.5 11.5 13 13M3 13 4.5 11.5M11.5 4.5 13 3" class="k"/>"#
        case .crash:
            #"<path d="M8 0 10 4.6 14 2.6 12.4 6.4 16 8 12.4 9.6 14 13.4 10 11.4 8 16 6 11.4 2 13.4 3.6 9.6 0 8 3.6 6.4 2 2.6 6 4.6Z" class="r"/>"#
        case .fault: #"<path d="M8 1.5 15 14H1Z" class="h"/><path d="M8 6V9.5M8 11.2V12.4" class="k"/>"#
        case .close: #"<path d="M3 3H13V13H3Z" class="f"/>"#
        case .open: #"<path d="M3 3H13V13H3Z" class="h"/>"#
        case .machine: #"<path d="M8 2 14 5.5V10.5L8 14 2 10.5V5.5Z" class="h"/>"#
        }
    }

    /// The definitions of all shapes, once a page.
    static var definitions: String {
        let symbols = allCases.map { #"<symbol id="m-\#($0.rawValue)" viewBox="0 0 16 16">\#($0.shape)</symbol>"# }
        return #"<svg width="0" height="0" class="defs" aria-hidden="true">"# + symbols.joined() + "</svg>"
    }

    /// The symbol; text beside it carries its meaning.
    var picture: String {
        ##"<svg class="m m-\##(rawValue)" aria-hidden="true"><use href="#m-\##(rawValue)"/></svg>"##
    }
}
