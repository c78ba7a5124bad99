import ArgumentParser
import Daybook
import KeyValue
import Workloads

extension SelfTest.ExtraWork: ExpressibleByArgument {
    /// A store that does so much more in every transaction than it should.
    var options: StoreOptions {
        var options = StoreOptions()
        switch self {
        case .flush: options.sabotage = .flushesTwice
        case .put: options.sabotage = .putsTwice
        }
        return options
    }
}
