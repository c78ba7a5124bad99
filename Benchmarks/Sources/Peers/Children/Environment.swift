import Glibc

/// The environment of children.
enum Environment {
    /// Call it only between other work, when nothing else reads the environment.
    static func set(_ name: String, to value: String) { setenv(name, value, 1) }
}
