import ArgumentParser
import Daybook
import Injection
import KeyValue
import Workloads

extension SelfTest.ExtraWork: ExpressibleByArgument {
    /// A store that does so much more in every transaction than it should.
    var options: StoreOptions {
        var options = StoreOptions()
        switch self {
        case .flush: options.injectionPoint = ArmedInjectionPoints(.flushesTwice)
        case .put: options.injectionPoint = ArmedInjectionPoints(.putsTwice)
        }
        return options
    }
}
