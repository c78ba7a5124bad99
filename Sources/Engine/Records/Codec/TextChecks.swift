extension String {
    /// Whether it has a NUL character. Over the bytes in place, several times as fast as `contains`.
    package var hasNUL: Bool {
        let bytes = utf8.span
        for offset in bytes.indices where bytes[offset] == 0 { return true }
        return false
    }
}
