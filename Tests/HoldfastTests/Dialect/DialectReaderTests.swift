import Holdfast
import HoldfastJSON
import TestSupport
import Testing

/// Dialect files: what is read, and how a wrong one is refused.
@Suite struct DialectReaderTests {
    private static let small = """
        {
          "name": "small",
          "summary": "A server of few types.",
          "profiles": ["core"],
          "socket": { "path": "/chat", "credential": { "in": "none" } },
          "greeting": { "opens": "nobody", "assumed": { "type": "connected" } },
          "frames": [
            { "sender": "client", "wire": "ask", "is": "chat", "members": { "sessionId": "thread" } },
            { "sender": "server", "wire": "answer", "is": "done", "members": { "text": "words" } },
            { "sender": "server", "wire": "failure", "is": "error" }
          ]
        }
        """

    @Test func `every dialect of the specification is sound`() throws {
        let specification = try SourceTree.specification()
        let dialects = try specification.dialects()
        #expect(dialects.map(\.name) == ["adjutant", "nami", "syl"])
        #expect(specification.dialectNames == ["canonical", "adjutant", "nami", "syl"])
        for dialect in dialects {
            #expect(!dialect.isCanonical && dialect.source != nil)
            #expect(try Dialect(#require(dialect.source), at: "a transcript") == dialect)
        }
    }

    @Test(arguments: ["nami", "adjutant", "syl"]) func `what a wire cannot keep are clauses of servers`(
        name: String
    ) throws {
        let specification = try SourceTree.specification()
        let unkeepable = try specification.dialect(named: name).unkeepable
        #expect(!unkeepable.isEmpty)
        for clause in unkeepable.keys { #expect(specification[clause]?.role == .server, "\(clause)") }
    }

    @Test func `the suite knows what clauses of clients rest on`() throws {
        let specification = try SourceTree.specification()
        func lacks(_ name: String) throws -> [String] {
            let dialect = try specification.dialect(named: name)
            let clauses = specification.clauses.filter { $0.role == .client }.map(\.id)
            return clauses.filter { !dialect.limitations(for: $0, of: .client).isEmpty }.map(\.description)
        }
        #expect(try lacks("canonical") == [])
        let nami = try lacks("nami")
        for clause in ["AUTH-10", "AUTH-11", "CLIENT-5", "CLIENT-6", "CLIENT-26"] { #expect(nami.contains(clause)) }
        for clause in ["ENV-12", "CLIENT-36", "CLIENT-37"] { #expect(!nami.contains(clause)) }
        // Its questions have keys, and so have its stored messages.
        #expect(try Set(lacks("syl")).isDisjoint(with: ["AUTH-11", "CLIENT-5", "CLIENT-6", "CLIENT-21"]))
        #expect(try lacks("syl").contains("CLIENT-16"))
    }

    @Test func `the canonical form is nobody's file`() throws {
        let specification = try SourceTree.specification()
        let canonical = try specification.dialect(named: "canonical")
        #expect(canonical.isCanonical && canonical.source == nil)
        #expect(canonical.encode(["type": "chat"], sentBy: .client) == .frame(["type": "chat"]))
        #expect(canonical.decode(["type": "anything"], sentBy: .server) == .frame(["type": "anything"]))
        #expect(canonical.encode(RESTRequest(method: "PUT", path: "/x"))?.path == "/x")
    }

    @Test func `an unknown name is answered with the nearest one`() throws {
        let problems = #expect(throws: InputProblems.self) {
            try SourceTree.specification().dialect(named: "nammi")
        }
        let problem = try #require(problems?.problems.first)
        #expect(problem.what == "there is no dialect 'nammi'" && problem.fix == "did you mean 'nami'?")
    }

    /// A piece of the small file, what takes its place, and the first line of the problem.
    @Test(arguments: [
        (#""small""#, #""Small""#, "d.json:2:11 /name: found 'Small'"),
        (#""small""#, #""canonical""#, "d.json:2:11 /name: found 'canonical'"),
        (#""summary""#, #""sumary""#, "d.json:3:13 /sumary: unknown member 'sumary'"),
        (#""core"]"#, #""client-core"]"#, "d.json:4:16 /profiles/0: 'client-core' is a profile of clients"),
        (
            #"  "frames""#, #"  "cannotKeep": [{ "clauses": ["ENV-03"], "because": "x" }], "frames""#,
            "d.json:7:32 /cannotKeep/0/clauses/0: 'ENV-03' is not a clause"
        ),
        (
            #"  "frames""#, #"  "cannotKeep": [{ "clauses": ["ENV-3", "ENV-3"], "because": "x" }], "frames""#,
            "d.json:7:41 /cannotKeep/0/clauses/1: ENV-3 already has a reason"
        ),
        (
            #"  "frames""#, #"  "cannotKeep": [{ "clauses": ["ENV-3"] }], "frames""#,
            "d.json:7:18 /cannotKeep/0: 'because' is missing"
        ),
        (#""core"]"#, #""cor"]"#, "d.json:4:16 /profiles/0: unknown profile 'cor'"),
        (#""core"]"#, #""core", "sync"]"#, "d.json:4:15 /profiles: 'sync' needs 'sync', and no rule maps to it"),
        (#""/chat""#, #""chat?x""#, "d.json:5:23 /socket/path: found 'chat?x'"),
        (#""none""#, #""cookie""#, "d.json:5:54 /socket/credential/in: found 'cookie'"),
        (#""none""#, #""query""#, "d.json:5:46 /socket/credential: 'name' is missing"),
        (#""nobody""#, #""server""#, "d.json:6:15 /greeting: 'challenge' is missing"),
        (#""type": "connected""#, #""type": "done""#, "d.json:6:47 /greeting/assumed: found an object"),
        (#""is": "chat""#, #""is": "chatt""#, "d.json:8:48 /frames/0/is: the client sends no 'chatt'"),
        (#""is": "chat""#, #""is": "done""#, "d.json:8:48 /frames/0/is: the client sends no 'done'"),
        (
            #""is": "error""#, #""unknown": "x""#,
            "d.json:10:57 /frames/2/unknown: a server knows the types that it sends"
        ),
        (
            #""wire": "failure", "is": "error""#, #""wire": "*", "ignored": "x""#,
            "d.json:10:35 /frames/2/wire: found '*'"
        ),
        (#""is": "error""#, #""is": "error", "ignored": "x""#, "d.json:10:5 /frames/2: is and ignored at once"),
        (
            #"{ "sessionId": "thread" }"#, #"{ "sesionId": "thread" }"#,
            "d.json:8:81 /frames/0/members/sesionId: the specification has no member 'sesionId' here"
        ),
        (#"{ "sessionId": "thread" }"#, #"{ "sessionId": 7 }"#, "d.json:8:82 /frames/0/members/sessionId: found 7"),
        (
            #"{ "sessionId": "thread" }"#, #"{ "sessionId": { "att": "x" } }"#,
            "d.json:8:82 /frames/0/members/sessionId: nothing says where it is"
        ),
        (
            #"{ "text": "words" }"#, #"{ "text": "words", "sessionId": "words" }"#,
            "d.json:9:70 /frames/1/members: two members map to '/words'"
        ),
        (
            #""failure", "is": "error""#, #""answer", "is": "error""#,
            "d.json:10:5 /frames/2: this rule for 'answer' is never reached"
        ),
        (
            #""sender": "server", "wire": "failure""#, #""sender": "srever", "wire": "failure""#,
            "d.json:10:17 /frames/2/sender: unknown sender 'srever'"
        ),
    ])
    func `a wrong dialect is refused by its line`(piece: String, other: String, problem: String) throws {
        let text = Self.small.replacing(piece, with: other)
        #expect(text != Self.small)
        let thrown = #expect(throws: InputProblems.self) { try Dialect(text, file: "d.json") }
        let first = try #require(thrown?.problems.first)
        let line = "\(first)".split(separator: "\n").first.map(String.init) ?? ""
        #expect(line.hasPrefix(problem), "\(line)")
        #expect(!first.expected.isEmpty && !first.fix.isEmpty)
    }

    @Test func `all problems of a file are told at once`() throws {
        let text = Self.small.replacing("\"core\"", with: "\"cor\"").replacing("\"answer\"", with: "7")
        let thrown = #expect(throws: InputProblems.self) { try Dialect(text, file: "d.json") }
        #expect((thrown?.problems.count ?? 0) >= 2)
        let broken = #expect(throws: InputProblems.self) { try Dialect("{\n\"name\": }", file: "d.json") }
        #expect(broken?.problems.first?.location == "d.json:2:9")
    }
}
