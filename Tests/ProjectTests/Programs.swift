import Foundation

/// The programs in the build folder of the tests.
enum Programs {
    static func url(of program: String) -> URL {
        #if os(Linux)
            let tests = URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath()
        #else
            let tests = Bundle.allBundles.first { $0.bundlePath.hasSuffix(".xctest") }!.bundleURL
        #endif
        return tests.deletingLastPathComponent().appendingPathComponent(program)
    }
}
