import Holdfast
import Testing

@testable import HoldfastSuite

@Suite struct SelectionTests {
    private static let specification = Result { try Specification(.embedded) }

    private func selection(_ patterns: [String]) throws -> Selection {
        let specification = try Self.specification.get()
        return try Selection(patterns, role: .server, of: specification, scenarios: specification.scenarios())
    }

    @Test func `a clause in a scenario is that clause in that scenario alone`() throws {
        let chosen = try selection(["TURN-2@server/LIVE/idle-and-answering"])
        #expect(chosen.scenarios.map(\.name) == ["server/LIVE/idle-and-answering"])
        #expect(chosen.clauses == [ClauseID(.TURN, 2)])
        // It is meant to show the clause now, so that an early end passes nothing.
        #expect(chosen.intended["server/LIVE/idle-and-answering"]?.contains(ClauseID(.TURN, 2)) == true)
        #expect(chosen.repeated(2).intended["server/LIVE/idle-and-answering#2"]?.contains(ClauseID(.TURN, 2)) == true)
    }

    @Test(arguments: ["TURN-2@server/LIVE/nothing", "TURN-999@server/LIVE/idle-and-answering", "@", "TURN-2@"])
    func `a pair of which one half names nothing is refused`(_ pattern: String) {
        #expect(throws: InputProblems.self) { try selection([pattern]) }
    }
}
