import Daybook

/// The codec of records by itself. A store has it between a transaction and LMDB, where it cannot be timed alone.
public enum RecordCodec {
    /// A record's fields as a store writes them, without the seal. `Record.append(decoding:_:to:)` reads them.
    public static func encode(_ record: some Record) -> [UInt8] {
        record.fieldBytes
    }
}
