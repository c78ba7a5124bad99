import ByteStreams
import CivilTime
import FoundationEssentials
import Records

/// A dump: every record of every collection of a store as NDJSON, without loss. Format.md describes the lines.
///
/// A dump declares the fields that it names, so that it can be loaded by a program that has none of the record types.
package enum StoreDump {
    static let format = "daybook-dump"
    static let version = 1
    /// The longest record, as in a snapshot.
    static let recordLimit = 64 << 20

    /// Writes every record of an image, collection by collection, keys ascending: the same state gives the same bytes.
    /// Memory stays bounded.
    ///
    /// - Parameters:
    ///   - declarations: the collections whose fields are written by name; other records are written as they are stored.
    ///   - progress: called with the number of records so far; an error that it throws ends the work.
    /// - Throws: `recordTooLarge`, what reading the image, the sink and `progress` throw.
    package static func write(
        _ image: StoreImage, declarations: [CollectionDeclaration], to sink: ByteSink,
        progress: (_ done: Int, _ total: Int) throws -> Void = { _, _ in }
    ) throws {
        var writer = JSONWriter()
        writer.object { writer in
            writer.field("format", format)
            writer.field("version", version)
            writer.field("schema", image.schemaVersion)
            writer.field("sequence", image.sequence)
        }
        writer.newline()
        let total = image.collections.reduce(0) { $0 + $1.count }
        var done = 0
        for (number, collection) in image.collections.enumerated() {
            let declared = declarations.first { $0.name == collection.name }?.fields ?? []
            if !declared.isEmpty {
                writer.declaration(of: collection.name, declared)
                writer.newline()
            }
            let fields = DumpFields(declared)
            try image.forEachRecord(in: collection.name) { key, value in
                guard value.byteCount <= recordLimit else { throw FileError.recordTooLarge(collection: number) }
                writer.record(in: collection.name, key, value, fields)
                writer.newline()
                done += 1
                if writer.bytes.count >= 1 << 16 { try sink(writer.take()) }
                if done % 4096 == 0 { try progress(done, total) }
                return true
            }
        }
        writer.object { writer in
            writer.field("end", true)
            writer.field("records", done)
        }
        writer.newline()
        try sink(writer.take())
        try progress(done, total)
    }

    /// Loads a dump into a new store, which takes its place once everything in it is verified and durable.
    ///
    /// - Parameters:
    ///   - schema: the collections that are checked and indexed; those that it does not name are loaded as they are.
    ///   - place: where nothing is, an empty folder, or a store that has never had a record.
    /// - Returns: how many records were loaded, and the number of the last change of the store that was dumped.
    /// - Throws: `invalidDump` with the line of the first that cannot be loaded, `storeNotEmpty`; the place is as it was.
    package static func load(
        _ source: @escaping ByteSource, into place: String, schema: Schema, context: Context,
        progress: (_ done: Int) throws -> Void = { _ in }
    ) throws -> (records: Int, sequence: UInt64) {
        let isStore = try hasUnusedStore(place, schema: schema)
        let folder = try RestoredFolder(place, replacing: isStore)
        var reader = try DumpReader(source)
        guard reader.schemaVersion <= schema.version else {
            throw RecordsError.newerFormat(path: place, found: Int(reader.schemaVersion), known: Int(schema.version))
        }
        let loader = try StoreLoader(
            at: folder.draft, schema: schema, context: context, sequence: reader.sequence,
            schemaVersion: reader.schemaVersion)
        // An error on the way removes the draft.
        var done = 0
        while let record = try reader.next() {
            do throws(RecordsError) {
                try loader.append(
                    key: record.key.span.bytes, value: record.value.span.bytes, to: record.collection)
            } catch .refusedRecord {
                throw reader.invalid("it is not a valid record of its collection, or its key is out of order")
            } catch .badDeclaration(let reason) {
                throw reader.invalid(reason)
            }
            done += 1
            if done % 4096 == 0 { try progress(done) }
        }
        _ = try loader.finish()
        // The last chance to cancel.
        try progress(done)
        // A program may have written into the old store since; then it is kept.
        if let replaced = try folder.take(at: context.clock.wall), try hasUnusedStore(replaced, schema: schema) {
            try? FileManager.default.removeItem(atPath: replaced)
        }
        return (done, reader.sequence)
    }

    /// Whether there is a store that has never had a record.
    ///
    /// - Throws: `storeNotEmpty` for one that has or had records.
    private static func hasUnusedStore(_ path: String, schema: Schema) throws -> Bool {
        guard FileManager.default.fileExists(atPath: path + "/data.mdb") else { return false }
        // Not closed explicitly: this process may have the store open, and both handles share one engine.
        let store = try RecordStore(
            at: path, schema: Schema(version: schema.version), options: StoreOptions(isReadOnly: true))
        guard try store.readImage({ $0.collections.isEmpty && $0.sequence == 0 }) else {
            throw FileError.storeNotEmpty(path: path)
        }
        return true
    }
}

extension JSONWriter {
    fileprivate mutating func declaration(of collection: String, _ fields: [Field]) {
        object { writer in
            writer.field("declare", collection)
            writer.array("fields") { writer in
                for field in fields {
                    writer.object { writer in
                        writer.field("number", field.number)
                        writer.field("name", field.name)
                        writer.field("kind", field.kind.dumpName)
                        guard case .enumeration(let names) = field.kind else { return }
                        writer.object("cases") { writer in
                            for (raw, name) in names.sorted(by: { $0.key < $1.key }) { writer.field(String(raw), name) }
                        }
                    }
                }
            }
        }
    }

    fileprivate mutating func record(in collection: String, _ key: RawSpan, _ value: RawSpan, _ fields: DumpFields) {
        object { writer in
            writer.field("collection", collection)
            writer.key("key")
            var bytes: [UInt8] = []
            bytes.append(key)
            if bytes.count == 16 {
                writer.value(UUID(bigEndian: bytes.reduce(0) { $0 << 8 | UInt128($1) }))
            } else {
                writer.string(bytes.hexadecimal)
            }
            // A value that does not split into fields and encode to the same bytes again is written as bytes.
            var copy: [UInt8] = []
            copy.append(value)
            if let stored = StoredFields(value), stored.value == copy {
                writer.key("fields")
                fields.write(stored, to: &writer)
            } else {
                writer.field("value", copy.hexadecimal)
            }
        }
    }
}
