import Glibc

/// The environment that children get.
enum Environment {
    /// Only between other work: nothing else reads the environment then.
    static func set(_ name: String, to value: String) { setenv(name, value, 1) }
}
