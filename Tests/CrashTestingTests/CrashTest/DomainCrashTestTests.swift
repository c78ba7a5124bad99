import Daybook
import DiskRecording
import DomainPacks
import Injection
import KeyValue
import TestSupport
import Testing

@testable import CrashTesting

extension WithDiskLog {
    /// The public crash test of a domain, with domains that are declared here and faults.
    @Suite struct DomainCrashTestTests {
        /// Accounts, of which the sum must stay the same.
        struct Bank: DomainPack {
            struct Account: Record {
                let id: UUID
                var balance: Int64

                static let total = Tally<Account, UInt8>("total", summing: \.balance) { _ in 0 }
                static let collection = RecordCollection<Account>("accounts") {
                    Field(1, "balance", .integer)
                    total
                }

                init(_ number: Int, _ balance: Int) {
                    id = UUID(high: 0, low: UInt64(number))
                    self.balance = Int64(balance)
                }

                init(id: UUID, fields: inout FieldDecoder) throws(RecordsError) {
                    self.id = id
                    balance = try fields.int64(1)
                }

                func encode(into fields: inout FieldEncoder) { fields.put(1, balance) }
            }

            var balances = [50, 50, 50]
            var isOpen = false

            static let records = Schema().adding(Account.collection)
            static let start = ["open"]

            static let operations: [DomainOperation<Bank>] = [
                DomainOperation("open", isShort: false) { model, _ in
                    model.isOpen
                        ? nil
                        : DomainChange {
                            $0.isOpen = true
                        } transaction: {
                            for number in 0..<3 { try $0.put(Account(number, 50)) }
                        }
                },
                DomainOperation("transfer") { model, draw in
                    let (from, to) = (draw.below(3), draw.below(3))
                    return DomainChange {
                        $0.balances[from] -= 7
                        $0.balances[to] += 7
                    } transaction: { transaction in
                        try Bank.change(from, by: -7, in: transaction)
                        try Bank.change(to, by: 7, in: transaction)
                    }
                },
                // The mistake: two transactions.
                DomainOperation("give", isShort: false) { model, draw in
                    let from = draw.below(3)
                    return DomainChange {
                        $0.balances[from] -= 1
                        $0.balances[(from + 1) % 3] += 1
                    } store: { store in
                        try await store.write { try Bank.change(from, by: -1, in: $0) }
                        try await store.write { try Bank.change((from + 1) % 3, by: 1, in: $0) }
                    }
                },
            ]

            static func change(_ number: Int, by amount: Int64, in transaction: WriteTransaction) throws {
                guard var account = try transaction[Account.self].get(UUID(high: 0, low: UInt64(number))) else {
                    return
                }
                account.balance += amount
                try transaction.put(account)
            }

            var lines: [String] { isOpen ? balances.map { "\($0)" } : [] }

            static func lines(in transaction: ReadTransaction) throws -> [String] {
                var lines: [String] = []
                try transaction[Account.self].forEach {
                    lines.append("\($0.balance)")
                    return true
                }
                return lines
            }

            static func problems(in transaction: ReadTransaction) throws -> [String] {
                let sum = try transaction[Account.total].sum(of: 0)
                return sum == 150 || sum == 0 ? [] : ["the sum is \(sum)"]
            }
        }

        @Test("Every crash of every short sequence of a correct domain leaves a state of its model")
        func correct() async throws {
            var test = DomainCrashTest(of: GardenPack.self)
            test.shortLength = 1
            test.longLength = TestBudget.count(12, quick: 6)
            let report = try await test.run()
            #expect(report.violations == [])
            // The opening alone, each of six operations, an undo and a pair alone, and a long one.
            #expect(report.workloads == 10)
            #expect(report.imagesOpened > TestBudget.count(20, quick: 5) && report.imagesOpened < report.imagesBuilt)
        }

        @Test(
            "An invariant that is kept over two transactions is found in a long sequence, with a shorter one that shows it"
        )
        func twoTransactions() async throws {
            var test = DomainCrashTest(of: Bank.self)
            test.shortLength = 1
            test.longLength = 30
            test.includesUndo = false
            let violations = try await test.run().violations
            let first = try #require(violations.first)
            #expect(first.problem == "the sum is 149")
            #expect(first.details.contains { $0.contains("<- the crash") })
            let shorter = try #require(violations.dropFirst().first)
            #expect(shorter.reproducer.hasPrefix("give"))
            #expect(shorter.reproducer.split(separator: "|").first?.contains(",") == false)
            for violation in [first, shorter] {
                test.replaying = violation.reproducer
                let again = try await test.run()
                #expect(again.imagesOpened == 1)
                #expect(again.violations.map(\.problem) == [violation.problem])
            }
        }

        static let points: [(InjectionPoint, String)] = [
            (.tallyInSecondTransaction, "of no step"), (.skipsCascades, "differs"), (.tracksUntracked, "differs"),
            (.neverFlushesMeta, "had returned"), (.indexOutsideTransaction, ""),
        ]

        @Test("Each broken promise of the store is found in a domain that depends on it", arguments: points)
        func broken(point: InjectionPoint, expected: String) async throws {
            var test = DomainCrashTest(of: GardenPack.self) { path, context in
                var options = StoreOptions(retries: .none)
                options.injectionPoint = ArmedInjectionPoints(point)
                return try DaybookStore.open(
                    at: path, context: context, records: GardenPack.records, options: options)
            }
            test.longCount = 0
            do {
                let violations = try await test.run().violations
                let problems = Set(violations.map(\.problem))
                #expect(problems.contains { expected.isEmpty || $0.contains(expected) }, "\(problems)")
            } catch let error as CrashLabError {
                // What is wrong without any crash, too.
                #expect(expected == "differs", "\(error)")
            }
        }

        @Test(
            "A text that is no reproducer is refused",
            arguments: ["", "plant", "lie|3+|keep=none|absent", "plant|x|y|z"])
        func noReproducer(text: String) async throws {
            var test = DomainCrashTest(of: GardenPack.self)
            test.replaying = text
            await #expect(throws: CrashLabError.invalidReproducer(text)) { try await test.run() }
        }
    }
}
