import HoldfastJSON
import HoldfastJSONSchema
import Testing

@testable import HoldfastGate
@testable import HoldfastSchemaDiff

/// What the prover says against what the validator does, on pairs of random schemas.
@Suite struct ContainmentDifferentialTests {
    private struct Tally {
        var contained = 0
        var broken = 0
        var unknown = 0
        var reasons: [String: Int] = [:]
    }

    private func run(seed: UInt64, pairs: Int, areRare: Bool = false) throws -> Tally {
        var random = RandomSchemas(seed: seed, areRare: areRare)
        var tally = Tally()
        for _ in 0..<pairs {
            let one = random.schema()
            let other = random.chance(60) ? random.changed(one) : random.schema()
            let writer = try Schema(one)
            let reader = try Schema(other)
            var solver = Solver(SchemaSpace(old: writer.program, new: reader.program), stepLimit: 3_000)
            let values = (0..<40).map { _ in random.value() }
            switch solver.solve([.holds(solver.space.roots[0]), .fails(solver.space.roots[1])]) {
            case .none:
                tally.contained += 1
                for value in values where writer.isValid(value) && !reader.isValid(value) {
                    Issue.record("\(value) is in \(one) but not in \(other), which was said to contain it")
                }
            case .found(let value):
                tally.broken += 1
                #expect(writer.isValid(value) && !reader.isValid(value), "\(value) in \(one) and \(other)")
            case .unknown(let reason):
                tally.unknown += 1
                tally.reasons[reason, default: 0] += 1
            }
        }
        return tally
    }

    @Test(arguments: [1, 2, 3, 4] as [UInt64])
    func `what is said to be contained is contained`(seed: UInt64) throws {
        let tally = try run(seed: seed, pairs: 400)
        print("seed \(seed): \(tally)")
        #expect(tally.contained > 60)
        #expect(tally.broken > 60)
        #expect(tally.unknown < 20)
    }

    /// What the prover does not know makes it doubt, and never wrong.
    @Test(arguments: [5, 6, 7, 8] as [UInt64])
    func `keywords that the prover does not know make no proof wrong`(seed: UInt64) throws {
        let tally = try run(seed: seed, pairs: 400, areRare: true)
        #expect(tally.contained > 30)
        #expect(tally.broken > 60)
    }
}
