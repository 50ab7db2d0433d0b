import Testing

@testable import HoldfastStage

@Suite struct OpenConnectionsTests {
    private let connections = OpenConnections()
    private let start = ContinuousClock.now - .seconds(30)

    private func greeted(_ second: Int) -> Int { connections.add(greetedAt: start + .seconds(second)) }

    private func ended(greeted second: Int) -> Int {
        let number = greeted(second)
        connections.noteGoodbye(number, at: start + .seconds(second) + .milliseconds(500))
        connections.noteEnd(number)
        return number
    }

    @Test func `a server whose old connection speaks when a stop would be over went on`() async {
        let old = greeted(0)
        let gone = ended(greeted: 1)
        connections.noteHeard(old, at: start + .seconds(4))
        #expect(await !connections.wentOn(after: gone), "it may still be stopping")
        connections.noteHeard(old, at: start + .seconds(8))
        #expect(await connections.wentOn(after: gone))
    }

    @Test func `a server whose old connections have all ended may have stopped`() async {
        let old = greeted(0)
        let gone = ended(greeted: 1)
        connections.noteEnd(old)
        connections.noteHeard(greeted(2), at: start + .seconds(20))
        #expect(await !connections.wentOn(after: gone))
    }

    @Test func `no server restarts three times in a row within a minute`() async {
        let all = [ended(greeted: 1), ended(greeted: 2), ended(greeted: 3)]
        #expect(await !connections.wentOn(after: all[0]))
        #expect(await !connections.wentOn(after: all[1]))
        #expect(await connections.wentOn(after: all[2]))
    }
}
