/// Every statement of the storage. Portable SQL: what PostgreSQL, CockroachDB, YugabyteDB, Citus and Aurora do alike. A test
/// holds each against the list of what is not.
enum Statements {
    // MARK: Spaces and devices

    /// The lock that puts the pushes of a space in order.
    static let lockSpace = "SELECT epoch, head, digest, bytes FROM spaces WHERE space = $1 FOR UPDATE"
    static let space = "SELECT epoch, head, digest, bytes FROM spaces WHERE space = $1"
    static let insertSpace = "INSERT INTO spaces (space, epoch, head, digest, bytes) VALUES ($1, $2, $3, $4, $5)"
    /// Changes a row only if its head is the one that was read.
    static let updateSpace =
        "UPDATE spaces SET epoch = $3, head = $4, digest = $5, bytes = $6 WHERE space = $1 AND head = $2"
    static let heads = "SELECT space, head FROM spaces WHERE space = ANY($1)"
    static let nextSpaces = "SELECT space FROM spaces WHERE space > $1 ORDER BY space LIMIT $2"
    static let sizes = "SELECT COUNT(*), CAST(COALESCE(SUM(bytes), 0) AS int8) FROM spaces"
    static let deviceCount = "SELECT COUNT(*) FROM devices"

    private static let deviceColumns = "device, pubkey, agreekey, label, role, push_no, push_hash, revoked"
    static let device = "SELECT \(deviceColumns) FROM devices WHERE space = $1 AND device = $2"
    static let devices = "SELECT \(deviceColumns) FROM devices WHERE space = $1"
    static let insertDevice =
        "INSERT INTO devices (space, \(deviceColumns)) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)"
    static let updateDevice = """
        UPDATE devices SET pubkey = $3, agreekey = $4, label = $5, role = $6, push_no = $7, push_hash = $8, \
        revoked = $9 WHERE space = $1 AND device = $2
        """

    static let invites = "SELECT token_hash, sealed, expires, used_by FROM invites WHERE space = $1"
    static let insertInvite =
        "INSERT INTO invites (space, token_hash, sealed, expires, used_by) VALUES ($1, $2, $3, $4, $5)"
    static let updateInvite = "UPDATE invites SET used_by = $3 WHERE space = $1 AND token_hash = $2"
    static let deleteInvites = "DELETE FROM invites WHERE space = $1 AND expires <= $2"

    static let setting = "SELECT value FROM settings WHERE name = $1"
    static let insertSetting = "INSERT INTO settings (name, value) VALUES ($1, $2)"

    // MARK: Units

    private static let unitColumns = "rec, unit, seq, mkey, flags, device, body"
    static let headers =
        "SELECT rec, unit, seq, mkey, octet_length(body) FROM units WHERE space = $1 AND rec = ANY($2)"
    static let unit = "SELECT \(unitColumns) FROM units WHERE space = $1 AND rec = $2 AND unit = $3"
    /// The sizes first, so that a page never reads more than it may have.
    static let pageSizes = """
        SELECT seq, octet_length(mkey), octet_length(body) FROM units WHERE space = $1 AND seq > $2 AND seq <= $3 \
        ORDER BY seq LIMIT $4
        """
    static let page =
        "SELECT \(unitColumns) FROM units WHERE space = $1 AND seq > $2 AND seq <= $3 ORDER BY seq"
    static let updateUnit = """
        UPDATE units SET seq = $4, mkey = $5, flags = $6, device = $7, body = $8 \
        WHERE space = $1 AND rec = $2 AND unit = $3
        """
    static let deleteUnit = "DELETE FROM units WHERE space = $1 AND rec = $2 AND unit = $3"

    /// How many rows one statement inserts; a few sizes, so that each is prepared once.
    static let insertSizes = [64, 8, 1]

    static func insertUnits(_ count: Int) -> String {
        let rows = (0..<count).map { row in
            "($1, " + (0..<7).map { "$\(2 + row * 7 + $0)" }.joined(separator: ", ") + ")"
        }
        return "INSERT INTO units (space, \(unitColumns)) VALUES " + rows.joined(separator: ", ")
    }

    // MARK: Migrations

    static let versions = "SELECT version FROM schema_versions"
    static let requirements = "SELECT version, oldest FROM schema_versions"
    static let insertVersion = "INSERT INTO schema_versions (version, oldest) VALUES ($1, $2)"
    static let versionTable = "CREATE TABLE IF NOT EXISTS schema_versions (version int8 PRIMARY KEY)"
    /// Of tables that were made before 2026-11-26. A hub of before then does not read the column.
    static let oldestColumn = "ALTER TABLE schema_versions ADD COLUMN IF NOT EXISTS oldest int8"

    /// The definitions in their order: the first one is version 1.
    static let migrations = [
        Migration(
            oldest: 1,
            """
            CREATE TABLE IF NOT EXISTS spaces (space uuid PRIMARY KEY, epoch uuid NOT NULL, head int8 NOT NULL, \
            digest int8 NOT NULL, bytes int8 NOT NULL)
            """),
        Migration(
            oldest: 1,
            """
            CREATE TABLE IF NOT EXISTS devices (space uuid NOT NULL, device int8 NOT NULL, pubkey bytea NOT NULL, \
            agreekey bytea NOT NULL, label bytea NOT NULL, role int2 NOT NULL, push_no int8 NOT NULL, \
            push_hash bytea NOT NULL, revoked bool NOT NULL, PRIMARY KEY (space, device))
            """),
        Migration(
            oldest: 1,
            """
            CREATE TABLE IF NOT EXISTS units (space uuid NOT NULL, rec uuid NOT NULL, unit int2 NOT NULL, \
            seq int8 NOT NULL, mkey bytea NOT NULL, flags int2 NOT NULL, device int8 NOT NULL, body bytea NOT NULL, \
            PRIMARY KEY (space, rec, unit))
            """),
        Migration(oldest: 1, "CREATE INDEX IF NOT EXISTS units_in_order ON units (space, seq)"),
        Migration(
            oldest: 1,
            """
            CREATE TABLE IF NOT EXISTS invites (space uuid NOT NULL, token_hash bytea NOT NULL, sealed bytea NOT NULL, \
            expires int8 NOT NULL, used_by int8, PRIMARY KEY (space, token_hash))
            """),
        Migration(oldest: 1, "CREATE TABLE IF NOT EXISTS settings (name text PRIMARY KEY, value bytea NOT NULL)"),
    ]

    /// All of them, for the test.
    static let all =
        [
            lockSpace, space, insertSpace, updateSpace, heads, nextSpaces, sizes, deviceCount, device, devices,
            insertDevice, updateDevice, invites, insertInvite, updateInvite, deleteInvites, setting, insertSetting,
            headers, unit, pageSizes, page, updateUnit, deleteUnit, versions, requirements, insertVersion, versionTable,
            oldestColumn,
        ] + insertSizes.map(insertUnits) + migrations.map(\.definition)
}

/// One definition, which makes a version of the tables out of the one before. The first is version 1.
struct Migration: Sendable {
    /// The first version whose hubs can work with the tables afterwards, and may therefore start. A new table or index, or a new
    /// column that can be null or has a default, permits all. To drop or rename something excludes the versions that use it.
    let oldest: Int
    /// Can run again where a database does not undo definitions with their transaction.
    let definition: String

    init(oldest: Int, _ definition: String) {
        self.oldest = oldest
        self.definition = definition
    }
}
