import Glibc

/// Faults that are there on purpose, so that a test can see them found.
enum Plant: String {
    case crash, hang, memory
    /// Errors quote their input.
    case text
    /// What is read a second time is not what was read first.
    case change

    /// Set once, before anything is read.
    nonisolated(unsafe) static var active: Plant?
    nonisolated(unsafe) private static var hoard: [UInt8] = []

    /// Does harm at some mutations.
    static func spring(at number: Int) {
        guard number % 500 == 123 else { return }
        switch active {
        case .crash: abort()
        case .hang: while hoard.isEmpty { _ = getpid() }
        case .memory: hoard = [UInt8](repeating: 1, count: 300 << 20)
        case .text, .change, nil: break
        }
    }
}
