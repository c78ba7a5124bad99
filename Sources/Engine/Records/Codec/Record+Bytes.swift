extension Record {
    /// The fields as a store writes them, without the seal: for the benchmarks, which time the codec by itself.
    package var fieldBytes: [UInt8] {
        var encoder = FieldEncoder()
        encode(into: &encoder)
        encoder.finish()
        return encoder.bytes
    }
}
