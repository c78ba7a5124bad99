/// A broken promise.
enum ImageViolation: Error, CustomStringConvertible {
    case storeIsGone
    case noState(String)
    case wrongState(Int, allowed: ClosedRange<Int>)
    case notClean(String)
    case secondOpeningWrites
    case cannotGoOn(String)
    case cannotUndo(String)
    case importIsNotCompleted

    var description: String {
        switch self {
        case .storeIsGone:
            "the store is gone, though it had been opened"
        case .noState(let lines):
            "what is there is no state that the store ever had: \(lines)"
        case .wrongState(let number, let allowed):
            "state \(number) is there, but \(allowed.lowerBound) was acknowledged and \(allowed.upperBound) issued"
        case .notClean(let problem):
            "verify finds: \(problem)"
        case .secondOpeningWrites:
            "opening a second time changes the data file"
        case .cannotGoOn(let problem):
            "twenty more transactions do not work: \(problem)"
        case .cannotUndo(let problem):
            "undo does not lead back: \(problem)"
        case .importIsNotCompleted:
            "the import that is run again does not lead to what it would have without the crash"
        }
    }
}
