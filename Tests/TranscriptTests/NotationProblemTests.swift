import Holdfast
import HoldfastTranscript
import Testing

@Suite struct NotationProblemTests {
    @Test(arguments: [
        ("A+ servr!kill", "notation:1:4: unknown lane 'servr'"),
        ("A>chta(c1)", "notation:1:3: unknown word 'chta' after '>'"),
        ("A<chat", "notation:1:3: unknown word 'chat' after '<'"),
        ("A+\n+3h", "notation:2:3: unknown unit 'h'"),
        ("+ms", "notation:1:2: a wait without a number"),
        ("A>chat(c1)A<ack(c1)", "notation:1:11: no space before 'A<ack(c1)'"),
        ("A+(e1#0)", "notation:1:6: no space before '#0)'"),
        ("A>chat(c1 'hello", "notation:1:11: the text is not finished"),
        ("A>`{", "notation:1:3: the verbatim text is not finished"),
        ("A>chat(c1", "notation:1:7: '(' is not closed"),
        ("A<syncResult(e1)[done(t1)", "notation:1:17: '[' is not closed"),
        ("A<syncResult[ack(c1)]", "notation:1:14: 'ack' is not a replayed frame"),
        ("A>chat(z1)", "notation:1:8: 'z1' is not an id"),
        ("A>chat(t1)", "notation:1:8: 't1' does not apply to chat"),
        ("A<done(t1 complet)", "notation:1:11: unknown word 'complet' on done"),
        ("A<ack(c1 #3)", "notation:1:10: ack has no number"),
        ("A<done[done]", "notation:1:3: done replays no frames, but lists 1"),
        ("A>chat(#x)", "notation:1:8: '#x' is not a position"),
        ("A<binary(0f0)", "notation:1:3: '0f0' is not hexadecimal"),
        ("A", "notation:1:2: no mark after lane 'A'"),
        ("A>", "notation:1:3: nothing follows the mark"),
        ("1<200", "notation:1:1: exchange 1 has a response but no request"),
        ("1>FETCH", "notation:1:3: unknown word 'FETCH'"),
        ("server!explode", "notation:1:8: unknown word 'explode' after '!'"),
        ("server+", "notation:1:1: this mark does not apply to lane 'server'"),
        ("A>chat(c1=)", "notation:1:11: no value after '='"),
        ("A^", "notation:1:1: unknown lane 'A^'"),
    ])
    func `a mistake is told with its column`(_ text: String, _ message: String) throws {
        let problem = try #require(throws: InputProblem.self) { try NotationExpansion(text, header: header()) }
        #expect("\(problem.location): \(problem.what)" == message)
        #expect(!problem.expected.isEmpty && !problem.fix.isEmpty)
    }

    @Test func `a mistyped word is answered with the nearest one`() throws {
        let problem = try #require(throws: InputProblem.self) { try NotationExpansion("A<syncResul", header: header()) }
        #expect(problem.fix == "did you mean 'syncResult'?")
    }
}
