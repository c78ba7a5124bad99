import Glibc

/// Prints a line immediately, to show the progress of a long run.
func say(_ text: String) {
    let bytes = Array((text + "\n").utf8)
    _ = write(1, bytes, bytes.count)
}
