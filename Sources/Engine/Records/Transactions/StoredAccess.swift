import KeyValue

/// Records by their bytes, for what works on any collection: sync, for example.
extension ReadTransaction {
    /// The stored bytes of a record by its key, checked; nil when there is none.
    package func storedBytes(ofKey key: [UInt8], in collection: UInt32) throws -> [UInt8]? {
        guard let bound = schema.collection(number: collection) else { return nil }
        return try withEngine { engine in
            try bound.recordsTable.get(KeyBytes(key), in: engine) { value, _ in value.copied }
        }
    }

    /// The numbers of the collections that the store was opened with.
    package var collectionNumbers: [UInt32] { schema.collections.map(\.number) }

    /// The name of a collection that the store was opened with.
    package func collectionName(of number: UInt32) -> String? { schema.collection(number: number)?.name }

    /// The keys of up to so many records of a collection that name a record of another one by a reference.
    package func keys(
        naming key: [UInt8], of target: UInt32, in collection: UInt32, limit: Int
    ) throws -> [[UInt8]] {
        for referrer in schema.referrers[target] ?? [] where referrer.collection.number == collection {
            let keys = try withEngine { try referrer.keys(naming: KeyBytes(key), limit: limit, in: $0) }
            if !keys.isEmpty { return keys.map(\.array) }
        }
        return []
    }

    /// Calls a closure with the key and the bytes of each record whose key begins with the given bytes, in order, until it
    /// returns false. Cost: one step a record.
    package func forEachStored(
        in collection: UInt32, beginning prefix: [UInt8] = [], _ body: (_ key: [UInt8], _ value: [UInt8]) throws -> Bool
    ) throws {
        guard let bound = schema.collection(number: collection) else { return }
        let table = bound.recordsTable
        try withEngine { engine in
            _ = try table.forEachEntry(prefix.isEmpty ? .all : KeyRange(prefix: KeyBytes(prefix)), in: engine) {
                key, checksummed in
                try table.open(key: key, checksummed: checksummed) { value, _ in try body(key.copied, value.copied) }
            }
        }
    }
}

extension WriteTransaction {
    /// Removes a record by its key, with the index entries and counts that follow from it.
    package func removeStored(key: [UInt8], in collection: UInt32) throws {
        guard let bound = schema.collection(number: collection) else {
            throw RecordsError.unknownCollection(name: "number \(collection)")
        }
        try bound.restore(KeyBytes(key), to: nil, in: self)
    }
}

extension RecordCollection {
    /// The collection's number: in the change log, and wherever a collection is named in a few bytes.
    package var number: UInt32 { Checksum.collectionNumber(of: name) }
}

extension OrderedKey {
    /// The bytes of the key.
    package var keyArray: [UInt8] { keyBytes.array }

    /// Reads the bytes of a key.
    package init(keyArray: [UInt8]) throws(RecordsError) {
        let bytes = KeyBytes(keyArray)
        var decoder = KeyDecoder(bytes.bytes)
        try self.init(decoding: &decoder)
    }
}
