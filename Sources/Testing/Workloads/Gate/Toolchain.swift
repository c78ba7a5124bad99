/// What the program was built with: allocations and instructions are compared with those of the same name only.
public enum Toolchain {
    /// The compiler, the processor's architecture, and whether it optimises.
    public static var current: String { "\(compiler) \(architecture) \(configuration)" }

    private static var compiler: String {
        // The compiler can only be asked whether it is as new as a version.
        #if compiler(>=6.5)
            "Swift later than 6.4"
        #elseif compiler(>=6.4)
            "Swift 6.4"
        #elseif compiler(>=6.3.2)
            "Swift 6.3 later than 6.3.1"
        #elseif compiler(>=6.3.1)
            "Swift 6.3.1"
        #elseif compiler(>=6.3)
            "Swift 6.3"
        #else
            "Swift 6.2"
        #endif
    }

    private static var architecture: String {
        #if arch(x86_64)
            "x86_64"
        #elseif arch(arm64)
            "arm64"
        #else
            "other"
        #endif
    }

    private static var configuration: String {
        #if DEBUG
            "debug"
        #else
            "release"
        #endif
    }
}
