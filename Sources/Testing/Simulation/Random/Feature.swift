/// Something that a random story may have in it. Each seed has some of them and not the others (swarm testing: what never
/// happens in a story lets other things happen more often).
///
/// Groce and others, "Swarm Testing", ISSTA 2012.
enum Feature: String, CaseIterable {
    // The task list.
    case states, schedule, reorder, carry, edit, remind, delete, purge, together, undo, redo, notice, refusals
    // Time.
    case seconds, hours, days, midnights, jumps, epoch, travel, sleep
    // The machine.
    case closing, processCrashes, powerCrashes, fullDisk, busy, otherProcesses

    /// Whether it needs a machine on which things can go wrong.
    var needsFailingMachine: Bool {
        switch self {
        case .processCrashes, .powerCrashes, .fullDisk, .busy, .otherProcesses: true
        default: false
        }
    }
}
