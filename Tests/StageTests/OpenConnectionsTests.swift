import Testing

@testable import HoldfastStage

@Suite struct OpenConnectionsTests {
    private let connections = OpenConnections()
    private let start = ContinuousClock.now - .seconds(30)

    private func opened(_ second: Int) -> Int { connections.add(openedAt: start + .seconds(second)) }

    private func greeted(_ second: Int) -> Int {
        let number = opened(second)
        connections.noteGreeting(number, at: start + .seconds(second))
        return number
    }

    private func ended(greeted second: Int) -> Int { ended(greeted(second), second) }

    private func ended(_ number: Int, _ second: Int) -> Int {
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

    @Test func `a server that stops turns newcomers away for a few seconds and no longer`() async {
        let all = [1, 2, 3, 4, 8].map { ended(opened($0), $0) }
        #expect(await !connections.wentOn(after: all[3]), "it may still be stopping")
        #expect(await connections.wentOn(after: all[4]))
    }
}
