import TestSupport
import Testing

/// Ids are compared as they are: the same letter written in two ways makes two of them.
@Suite struct OpaqueNameTests {
    /// One letter, and the same as a letter with an accent behind it.
    private let one = "caf\u{e9}"
    private let other = "cafe\u{301}"

    private func turn(_ number: Int, _ key: String, _ more: String = "") -> String {
        let c = "c\(number)='\(key)'"
        return "A>chat(\(c)\(more)) A<ack(\(c)) A<done(t\(number) \(c))"
    }

    @Test(arguments: ["ID-3", "IDEM-5", "IDEM-1"])
    func `keys that look alike belong to two questions`(id: String) throws {
        let clause = ClauseUnderTest(id, profiles: [.core])
        let two = "A+ \(turn(1, one)) \(turn(2, other, " s1"))"
        if id == "ID-3" { try clause.conforms(two) } else { try clause.untested(two) }
    }

    @Test func `a key that is written otherwise is no repeat of it`() throws {
        let same = "A+ \(turn(1, one)) A>chat(c1='\(one)')"
        try ClauseUnderTest("IDEM-2", rule: 1).conforms("\(same) A<ack(c1='\(one)' duplicate) A<done(t1 duplicate -c)")
        try ClauseUnderTest("IDEM-2", rule: 1).violates("\(same) A<ack(c1='\(one)')^")
        try ClauseUnderTest("IDEM-2", rule: 1).untested(
            "A+ \(turn(1, one)) A>chat(c2='\(other)' s1) A<ack(c2='\(other)')")
    }

    @Test func `TURN-1 an ack does not normalize the key`() throws {
        let clause = ClauseUnderTest("TURN-1", rule: 2, profiles: [.core])
        let asked = "A+ A>chat(c1='\(one)')"
        try clause.conforms("\(asked) A<ack(c1='\(one)') A<done(t1 c1='\(one)')")
        try clause.violates("\(asked) A<ack(c1='\(other)')^")
        let finding = try #require(try clause.findings("\(asked) A<ack(c1='\(other)') A<done(t1)").first)
        #expect(finding.expected == #"'caf\u{e9}'"#)
        #expect(finding.actual == #"'cafe\u{301}'"#)
    }

    @Test func `ID-3 no frame normalizes the key`() throws {
        let clause = ClauseUnderTest("ID-3", rule: 1, profiles: [.core])
        let asked = "A+ A>chat(c1='\(one)') A<ack(c1='\(one)')"
        try clause.conforms("\(asked) A<done(t1 c1='\(one)')")
        try clause.violates("\(asked) A<done(t1 c1='\(other)')^")
    }

    @Test func `LIVE-1 a nonce that looks alike is shown by its scalars`() throws {
        let clause = ClauseUnderTest("LIVE-1")
        try clause.conforms("A+ A>ping(n1='\(one)') A<pong(n1='\(one)')")
        try clause.violates("A+ A>ping(n1='\(one)') A<pong(n1='\(other)')^")
        let finding = try #require(try clause.findings("A+ A>ping(n1='\(one)') A<pong(n1='\(other)')").first)
        #expect([finding.expected, finding.actual] == [#"'caf\u{e9}'"#, #"'cafe\u{301}'"#])
    }

    @Test func `an id that is spelled like an escape is another one`() throws {
        let clause = ClauseUnderTest("TURN-1", rule: 2, profiles: [.core])
        try clause.conforms(#"A+ A>chat(c1='a\u{e9}') A<ack(c1='a\u{e9}') A<done(t1)"#)
        try clause.violates(#"A+ A>chat(c1='a\u{e9}') A<ack(c1='a"# + "\u{e9}" + "')^ A<done(t1)")
    }

    @Test func `texts that look alike are shown by their scalars`() throws {
        let read = "A+ A>chat(c1) A<ack(c1) A<done(t1 '\(one)') 1>GET(s1) 1<200(u1 a1='\(other)')"
        let finding = try #require(try ClauseUnderTest("ENV-6").findings(read).first)
        #expect(Set([finding.expected, finding.actual]) == [#"'caf\u{e9}'"#, #"'cafe\u{301}'"#])
    }
}
