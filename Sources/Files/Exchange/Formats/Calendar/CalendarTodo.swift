import ByteStreams
import CivilTime

/// A VTODO taken apart: the properties of its own, and its alarms.
struct CalendarTodo {
    /// A property of ours: the fields that iCalendar has no property for, as JSON text. Programs keep properties that
    /// they do not know.
    static let ownName = "X-DAYBOOK"

    /// A run of lines: one property, or a component in it with all that it holds.
    struct Part {
        var lines: Range<Int>
        /// The properties: one, or those of the component itself.
        var properties: [CalendarProperty]
        /// The component's name; nil for a property.
        var component: String?

        /// What the part says something about; nil for what means nothing here.
        var group: CalendarGroup? {
            if let component { return component == "VALARM" && isReminder ? .reminder : nil }
            guard let property = properties.first, let group = CalendarGroup(property.name) else { return nil }
            return group == .own && !Self.isOurs(property) ? nil : group
        }

        /// Whether a property of our name is not another program's.
        private static func isOurs(_ property: CalendarProperty) -> Bool {
            let zero = Instant(secondsSince1970: 0)
            var any = TaskDocument(id: ContentIdentifier.placeholder, text: "", createdAt: zero, updatedAt: zero)
            return (try? any.applyOwnFields(CalendarText.plain(property.value))) == true
        }

        /// Whether the alarm is one that a person notices at its time.
        private var isReminder: Bool {
            let action = self["ACTION"]?.value.uppercased()
            return (action == "DISPLAY" || action == "AUDIO") && self["TRIGGER"] != nil
        }

        subscript(name: String) -> CalendarProperty? {
            properties.first { $0.name == name }
        }
    }

    /// The lines between `BEGIN:VTODO` and `END:VTODO`.
    let lines: [CalendarLine]
    private(set) var parts: [Part] = []

    init(_ lines: [CalendarLine]) throws(RecordProblem) {
        self.lines = lines
        var open: [String] = []
        for (index, line) in lines.enumerated() {
            let property = try CalendarProperty(line)
            switch property.name {
            case "BEGIN":
                // Whoever reads that takes the task to have lost its end.
                if ["VTODO", "VCALENDAR"].contains(property.value.uppercased()) {
                    throw RecordProblem("line \(line.number) begins what can be in no task")
                }
                if open.isEmpty {
                    parts.append(
                        Part(lines: index..<index + 1, properties: [], component: property.value.uppercased()))
                }
                open.append(property.value.uppercased())
                guard open.count <= CalendarReader.depthLimit else {
                    throw RecordProblem("line \(line.number) begins a component inside too many others")
                }
            case "END":
                guard open.popLast() == property.value.uppercased() else {
                    throw RecordProblem("line \(line.number) ends a component that is not open")
                }
                if open.isEmpty { parts[parts.count - 1].lines = parts[parts.count - 1].lines.lowerBound..<index + 1 }
            default:
                if open.isEmpty {
                    parts.append(Part(lines: index..<index + 1, properties: [property], component: nil))
                } else if open.count == 1 {
                    parts[parts.count - 1].properties.append(property)
                }
            }
        }
        guard open.isEmpty else { throw RecordProblem("a component in it has no end") }
    }

    /// The property of a name; of several the first.
    subscript(name: String) -> CalendarProperty? {
        for part in parts where part.component == nil && part.properties[0].name == name { return part.properties[0] }
        return nil
    }

    /// All properties of a name.
    func all(_ name: String) -> [CalendarProperty] {
        parts.compactMap { $0.component == nil && $0.properties[0].name == name ? $0.properties[0] : nil }
    }
}
