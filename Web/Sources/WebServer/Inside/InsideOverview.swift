import Daybook
import FoundationEssentials

// Sizes, counts, versions and states, in sentences and small tables.
extension StoreInspector {
    func overview() throws -> JSONTree {
        let information = try store.information()
        let environment = information.environment
        let (id, tables, recent, sync) = try store.inspect { inspection in
            (
                try inspection.storeID, try inspection.tableSizes(pageSize: environment.pageSize),
                try Recent(inspection, now: store.context.clock.wall), try syncState(inspection)
            )
        }
        let used = tables.reduce(0) { $0 + $1.bytes }
        let free = max(0, environment.usedBytes - used)
        let scrub = try store.scrubProgress
        let growth = jobs.growth(to: environment.usedBytes, at: store.context.clock.wall)
        func section(_ title: String, _ text: String, _ rows: [(String, String)]) -> JSONTree {
            .object([
                "title": .text(title), "text": .text(text),
                "rows": .list(rows.map { .list([$0.0, $0.1]) }),
            ])
        }
        let tableRows = tables.sorted { ($1.bytes, $0.name) < ($0.bytes, $1.name) }.map { table in
            JSONTree.object([
                "name": .text(table.name), "entries": .number(table.entries), "bytes": .text(table.bytes.asBytes),
                "share": .number(used == 0 ? 0 : table.bytes * 100 / used),
            ])
        }
        return .object([
            "sections": .list([
                section(
                    "Size",
                    "The store uses \(environment.usedBytes.asBytes). Of these, about \(free.asBytes) are free pages, "
                        + "which the next changes use again.",
                    [
                        ("Pages in use", "\((environment.usedBytes - free) / environment.pageSize)"),
                        ("Free pages", "about \(free / environment.pageSize)"),
                        ("Bytes a page", "\(environment.pageSize)"), ("Room", environment.mapSize.asBytes),
                        ("Growth", growth.text(in: zone)),
                    ]),
                section(
                    "Changes", changeText(information, recent),
                    [
                        ("In the last 24 hours", recent.text(recent.day)),
                        ("In the last 7 days", recent.text(recent.week)),
                        ("First change in the log", "\(information.firstSequence)"),
                        ("Last change", "\(information.lastSequence)"),
                    ]),
                section(
                    "Commits", commitText(information.commits),
                    [
                        ("Mode", information.commits.mode.rawValue),
                        ("Since the last checkpoint", information.commits.sinceCheckpoint.of("commit")),
                        ("Length of the commit log", information.commits.logBytes.asBytes),
                    ]),
                section(
                    "Readers",
                    "\(environment.readersInUse) of \(environment.readerSlots) slots for readers are in use.",
                    information.consumers.map { consumer in
                        let missed = consumer.hasMissedChanges ? "; some of them were trimmed" : ""
                        return (
                            "Consumer \(consumer.name)",
                            "at \(consumer.position), \(Int(clamping: consumer.changesBehind).of("change")) behind"
                                + missed
                        )
                    }),
                section(
                    "Checks", scrubText(scrub),
                    [
                        ("Entries checked in this pass", "\(scrub.entries)"), ("Problems found", "\(scrub.problems)"),
                        ("Damaged records in quarantine", "\(information.quarantined)"),
                    ]),
                section("Sync", sync.text, sync.rows),
                section(
                    "Identity", "The store is in \(store.path).",
                    [
                        ("Id", id?.uuidString.lowercased() ?? "none yet"), ("Created", information.createdAt),
                        ("Format", "\(information.formatVersion)"), ("Schema", "\(information.schemaVersion)"),
                        ("Daybook", information.libraryVersion), ("LMDB", information.engineVersion),
                        ("Time zones", Zone.dataVersion ?? "unknown"),
                    ]),
            ]),
            "repaired": .text(store.repairedAtOpening), "tables": .list(tableRows),
        ])
    }

    private func changeText(_ information: StoreInformation, _ recent: Recent) -> String {
        guard information.firstSequence > 0 else { return "The change log is empty." }
        let count = Int(clamping: information.lastSequence - information.firstSequence + 1)
        return "The change log has \(count.of("change")) of \(information.lastSequence) that were ever made."
    }

    private func commitText(_ commits: CommitStatus) -> String {
        switch commits.mode {
        case .direct: "Each commit goes into the data file, with two flushes."
        case .logged: "Commits go into the commit log, with one flush; the data file follows at the next checkpoint."
        case .stopped: "A flush has failed. Close the store in all programs; the next one that opens it restores it."
        }
    }

    private func scrubText(_ progress: ScrubProgress) -> String {
        let values = ValueText(zone: zone)
        let last = progress.endedAt.map { "The last pass ended on \(values.text(of: $0))." } ?? "No pass has ended yet."
        return progress.isUnderWay ? "A pass of the scrub is under way. \(last)" : last
    }

    private func syncState(_ inspection: StoreInspection) throws -> (text: String, rows: [(String, String)]) {
        guard FileManager.default.fileExists(atPath: store.path + "/sync.json") else {
            return ("The store belongs to no space.", [])
        }
        guard !inspection.isHidden("sync.space") else {
            return ("The store belongs to a space. Unlock the journals to see its state.", [])
        }
        let values = ValueText(zone: zone)
        guard let space = try inspection.collection("sync.space"),
            let record = try inspection.page(of: space, limit: 1).rows.first?.record
        else { return ("The store belongs to a space and was not synced yet.", []) }
        let rows = record.fields.compactMap { field in
            if case .text(let text) = values.json(field.value)["text"] { (field.shownName, text) } else { nil }
        }
        return ("The store belongs to a space.", rows)
    }
}

/// How many changes were made lately.
private struct Recent {
    private static let stepLimit = 20_000
    var (day, week) = (0, 0)
    var isComplete = true

    init(_ inspection: StoreInspection, now: Instant) throws {
        var (day, week) = (0, 0)
        var before: UInt64?
        var steps = 0
        repeat {
            let page = try inspection.changes(before: before, limit: 256)
            for change in page.changes {
                if change.instant >= now.advanced(bySeconds: -86_400) { day += 1 }
                if change.instant >= now.advanced(bySeconds: -7 * 86_400) { week += 1 }
            }
            steps += page.changes.count
            before = page.next
            if let last = page.changes.last, last.instant < now.advanced(bySeconds: -7 * 86_400) { break }
        } while before != nil && steps < Self.stepLimit
        (self.day, self.week, isComplete) = (day, week, steps < Self.stepLimit)
    }

    func text(_ count: Int) -> String { isComplete ? count.of("change") : "\(count) changes or more" }
}
