import Foundation
import HubCore
import HubTestSupport
import Postgres
import Sync
import Synchronization
import Testing

@testable import PostgresHub

@Suite("Portable SQL")
struct StatementTests {
    /// What is missing on some databases that speak PostgreSQL's protocol, or behaves differently.
    static let forbidden = [
        "sequence", "serial", "bigserial", "smallserial", "nextval", "currval", "setval", "identity", "advisory",
        "listen",
        "notify", "unlisten", "copy", "trigger", "function", "procedure", "language", "conflict", "returning", "merge",
        "lock table", "skip locked", "nowait", "temp", "temporary", "unlogged", "inherits", "tablespace", "extension",
        "vacuum", "cluster", "cursor", "declare", "fetch", "with hold", "xmin", "ctid", "oid", "json", "jsonb",
        "hstore",
        "tableoid", "now()", "clock_timestamp", "gen_random_uuid", "random()", "savepoint", "distinct on", "lateral",
        "unnest", "do ", "prepare transaction", "foreign", "references", "cascade", "check (", "exclude", "using",
    ]

    static func violations(of statement: String) -> [String] {
        let words = " " + statement.lowercased().replacing(/\s+/, with: " ") + " "
        return forbidden.filter { word in
            words.ranges(of: word).contains { range in
                let before = words[words.index(before: range.lowerBound)]
                let after = range.upperBound < words.endIndex ? words[range.upperBound] : " "
                let isWhole = !(before.isLetter || before == "_") && !(after.isLetter || after == "_")
                return isWhole || !(word.last?.isLetter ?? false)
            }
        }
    }

    @Test("No statement of the storage uses what some databases lack")
    func statementsArePortable() {
        #expect(Statements.all.count > 30)
        for statement in Statements.all { #expect(Self.violations(of: statement).isEmpty, "\(statement)") }
    }

    @Test("The check finds each forbidden feature")
    func checkFindsViolations() {
        for statement in [
            "CREATE SEQUENCE units", "CREATE TABLE a (b BIGSERIAL)", "SELECT pg_advisory_lock(1), 1 AS advisory",
            "LISTEN heads", "NOTIFY heads", "COPY units FROM STDIN", "CREATE TRIGGER t BEFORE INSERT ON units",
            "INSERT INTO a VALUES (1) ON CONFLICT DO NOTHING", "DELETE FROM units RETURNING seq",
            "SELECT nextval('a')", "SELECT now()",
        ] {
            #expect(!Self.violations(of: statement).isEmpty, "\(statement)")
        }
        #expect(Self.violations(of: "SELECT copying, listener FROM triggers").isEmpty)
    }

    @Test("Each definition stands alone, and transactions name their isolation level")
    func definitionsStandAlone() {
        let definitions =
            Statements.migrations.map(\.definition) + [Statements.versionTable, Statements.oldestColumn]
        func isDefinition(_ text: String) -> Bool { text.hasPrefix("CREATE ") || text.hasPrefix("ALTER ") }
        for definition in definitions {
            #expect(isDefinition(definition) && !definition.contains(";") && definition.contains("IF NOT EXISTS"))
        }
        for statement in Statements.all where isDefinition(statement) { #expect(definitions.contains(statement)) }
    }

    @Test(
        "What is sent while a hub works is on the list, or begins and ends transactions",
        arguments: TestStorage.databases)
    func onlyListedStatementsAreSent(_ kind: TestStorage) async throws {
        let sent = Mutex<Set<String>>([])
        let probe: PostgresProbe = { text in
            sent.withLock { _ = $0.insert(text) }
            return nil
        }
        try await kind.with(faults: probe) { storage in
            var run = RandomRun(TestHub(storage), seed: 3)
            try await run.hub.createSpace(devices: 1...3)
            for _ in 0..<20 { try await run.step() }
            try await run.checkConvergence()
            try await run.hub.hub.renewEpochs()
        }
        guard case .postgres(let isolation) = kind else { return }
        let known = Set(Statements.all)
        let others = sent.withLock { $0 }.subtracting(known)
        #expect(others == ["BEGIN TRANSACTION ISOLATION LEVEL \(isolation.rawValue)", "COMMIT"])
    }
}
