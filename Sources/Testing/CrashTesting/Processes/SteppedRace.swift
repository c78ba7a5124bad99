import Injection

/// Several processes on one store, of which the first is stopped between two of its system calls while others run.
protocol SteppedRace: Sendable {
    /// The name under which the race is counted.
    var kind: String { get }

    /// The group of kinds that it belongs to.
    static var group: String { get }

    /// What names it in a reproducer, before the step.
    var words: [String] { get }

    /// Stops the first process before its system call `step`, counted from 1, and runs the race to its end.
    ///
    /// - Parameter injectionPoint: the fault to inject into all but foreign processes.
    func run(step: Int, at path: String, injectionPoint: InjectionPoint?) throws -> OpeningRace.Outcome
}

extension SteppedRace {
    /// The text that reproduces one of its steps.
    func reproducer(step: Int) -> String { Reproducer.race(self, step: step).text }
}

extension OpeningRace: SteppedRace {
    /// How a problem begins that the first process has met before it was stopped: every later step would meet it as well.
    static let alone = "the first process, alone: "
    static let group = "opening races"
}
