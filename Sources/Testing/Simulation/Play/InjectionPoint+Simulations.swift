import Daybook
import Injection

extension InjectionPoint {
    /// The points that break a rule of time: for the simulator.
    package static let ofTime: [Self] = [
        .countsDaysOf86400Seconds, .keepsZoneOfOpening, .measuresUndoByWallClock, .missesMoves, .neverReversesCounts,
    ]
    /// The points that break a promise about tallies, references, indexes with several keys or untracked collections.
    package static let ofDeclarations: [Self] = [
        .tallyInSecondTransaction, .searchIndexOutsideTransaction, .skipsCascades, .tracksUntracked,
    ]
    /// The points that split an operation on tasks into several transactions.
    package static let ofSplitOperations: [Self] = [
        .listAfterItsTasks, .occurrenceOutsideTransaction, .rollsOverOneByOne, .archivesOneByOne,
    ]
    /// The points that break a rule of lists, reminders, the planner or recurrence: for scenarios.
    package static let ofRules: [Self] = [
        .overfillsBuckets, .rollsOverOnlyYesterday, .drawsOccurrenceIDs, .keepsTasksOfLists, .forgetsDeliveries,
    ]
    /// The points that random simulations and scenarios can show.
    package static let ofSimulations = ofTime + ofDeclarations + ofSplitOperations + ofRules
}
