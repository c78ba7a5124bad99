import Measuring
import Workloads

/// The results of a run: tables and targets.
struct Report {
    /// One cell of a row.
    struct Cell {
        let median: String
        /// The ratio to Daybook's time or size.
        var ratio: String?
    }

    /// A row: one kind of work, by contestant.
    struct Row {
        let work: String
        let cells: [String: Cell]
    }

    /// A table of related rows.
    struct Section {
        let title: String
        let note: String
        var rows: [Row] = []
        var remarks: [String] = []
    }

    private(set) var sections: [Section] = []
    /// The targets; of a result without one, the reason in its place.
    private(set) var targets: [MeasuredRow] = []

    mutating func begin(_ title: String, _ note: String = "") {
        sections.append(Section(title: title, note: note))
        say("\n\(title)")
    }

    mutating func add(_ work: String, _ cells: [String: Cell]) {
        guard !sections.isEmpty else { return }
        sections[sections.count - 1].rows.append(Row(work: work, cells: cells))
        let shown = Contestants.all.compactMap { name in
            cells[name].map { "\(name) \($0.median)\($0.ratio.map { " = \($0)" } ?? "")" }
        }
        say("- \(work): \(shown.joined(separator: "; "))")
    }

    /// Adds times of one kind of work, each with its ratio to Daybook's in the same rounds.
    mutating func add(_ work: String, _ times: [Times], perSecond: Bool = false) {
        guard let ours = times.first(where: { $0.name == Contestants.daybook }) else { return }
        var cells: [String: Cell] = [:]
        for time in times {
            let median = perSecond ? "\(Int(1e9 / time.median).grouped)/s" : time.median.time
            let ratio = time.name == ours.name ? nil : time.ratio(to: ours).text
            cells[time.name] = Cell(median: median, ratio: ratio)
        }
        add(work, cells)
    }

    /// Adds sizes, each with its ratio to Daybook's.
    mutating func add(_ work: String, _ sizes: [String: Double]) {
        guard let ours = sizes[Contestants.daybook] else { return }
        let cells = sizes.map { name, size in
            (
                name,
                Cell(median: size.bytes, ratio: name == Contestants.daybook ? nil : "\((size / ours).short)x")
            )
        }
        add(work, Dictionary(uniqueKeysWithValues: cells))
    }

    mutating func note(_ text: String) {
        if !sections.isEmpty { sections[sections.count - 1].remarks.append(text) }
        say("  (\(text))")
    }

    /// Requires that Daybook is the given factor faster than another.
    mutating func require(
        _ what: String, fasterThan name: String, times limit: Double, in times: [Times],
        of ours: String = Contestants.daybook
    ) {
        guard let ratio = ratio(of: name, to: ours, in: times) else { return }
        add(what, target: "\(limit.short)x faster than \(name)", measured: ratio.text, holds: ratio.median >= limit)
    }

    /// Requires that Daybook takes at most the given factor of another's time.
    mutating func require(
        _ what: String, atMost limit: Double, timesOf name: String, in times: [Times],
        of ours: String = Contestants.daybook
    ) {
        guard let ratio = ratio(of: name, to: ours, in: times)?.inverse else { return }
        add(what, target: "at most \(limit.short)x \(name)", measured: ratio.text, holds: ratio.median <= limit)
    }

    /// Adds a target; `holds` is nil for a result that is only reported.
    mutating func add(_ what: String, target: String, measured: String, holds: Bool?) {
        targets.append(MeasuredRow(what, target: target, measured: measured, holds: holds))
        say("  \(holds.map { $0 ? "met" : "MISSED" } ?? "reported"): \(what): \(measured) (\(target))")
    }

    /// Reports how many times faster than another Daybook is, without a target.
    mutating func compare(
        _ what: String, fasterThan name: String, because reason: String, in times: [Times],
        of ours: String = Contestants.daybook
    ) {
        guard let ratio = ratio(of: name, to: ours, in: times) else { return }
        add(what, target: reason, measured: ratio.text, holds: nil)
    }

    /// Reports how the times depend on what ran before: no contestant may slow down or speed up what follows it.
    mutating func reportPredecessors(of what: String, in times: [Times]) {
        let effects = PredecessorEffects(times.flatMap(\.samples))
        begin(
            "Times by what ran before: \(what)",
            "The times of all after each contestant, divided by their own medians. The order is random in each round.")
        let cells = effects.effects.map { effect in
            (
                effect.predecessor,
                Cell(
                    median: "\(effect.ratio.median.short)x",
                    ratio: "\(effect.ratio.low.short) to \(effect.ratio.high.short)")
            )
        }
        add("all after it", Dictionary(uniqueKeysWithValues: cells))
        let (measured, holds): (String, Bool?) =
            switch effects.verdict {
            case .none: ("none", true)
            case .biased(let names): ("after \(names.joined(separator: ", "))", false)
            case .unclear(let names): ("too much noise to tell after \(names.joined(separator: ", "))", nil)
            case .unknown: ("each mostly ran after the same one", false)
            }
        let percent = Int(((PredecessorEffects.limit - 1) * 100).rounded())
        add(
            "\(what): times that depend on what ran before",
            target: "none: no interval is more than \(percent) % away from 1", measured: measured, holds: holds)
    }

    private func ratio(of name: String, to ours: String = Contestants.daybook, in times: [Times]) -> PairedRatio? {
        guard let theirs = times.first(where: { $0.name == name }), let ours = times.first(where: { $0.name == ours })
        else { return nil }
        return theirs.ratio(to: ours)
    }
}
