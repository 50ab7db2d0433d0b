import Holdfast
import HoldfastJSON
import HoldfastJSONSchema
import TestSupport
import Testing

struct SubjectFileTests {
    private func problems(_ text: String) -> [InputProblem] {
        inputProblems(of: try SubjectFile(text, file: "subject.json"))
    }

    @Test func `a whole subject file is read`() throws {
        let file = try SubjectFile(
            """
            {"name":"mine","version":"2","url":"wss://x.example/ws","http":"https://x.example/base","profiles":["core","sync"],
             "agent":"scripted","tiers":[1,2],"principals":[{"name":"p1","token":"a"},{"name":"p2","token":"b"}],
             "start":{"command":["serve","--fast"],"environment":{"A":""},"ready":"listening"},"limits":{"replayMessages":5}}
            """, file: "subject.json")
        #expect(file.profiles == [.core, .sync] && file.agent == .scripted && file.tiers == [1, 2])
        #expect(file.principals == [.init(name: "p1", token: .given("a")), .init(name: "p2", token: .given("b"))])
        #expect(file.start?.command == ["serve", "--fast"] && file.start?.environment == ["A": ""])
        #expect(file.limits == ["replayMessages": 5] && file.dialect == "canonical" && file.fullName == "mine 2")
    }

    @Test func `a file of another kind is named, and its members are not listed`() {
        #expect(
            problems(#"{"format":"holdfast-report","version":1,"headline":"conforms"}"#).map(\.what)
                == ["this is a file of format 'holdfast-report'"])
    }

    @Test func `only a server that is started may leave its address out`() throws {
        let started = try SubjectFile(
            #"{"name":"x","profiles":["core"],"start":{"command":["serve"]}}"#, file: "subject.json")
        #expect(started.url == nil)
        #expect(problems(#"{"name":"x","profiles":["core"]}"#).count == 1)
    }

    @Test func `an address is enough, and tokens come from elsewhere`() throws {
        let file = try SubjectFile(#"{"url":"ws://x/ws"}"#, file: "subject.json")
        #expect(file.name == nil && file.profiles == nil && file.principals.isEmpty && file.headers.isEmpty)
        let whole = try SubjectFile(
            """
            {"url":"ws://x/ws","headers":{"X-Tenant":"one"},"principals":[{"name":"p1","tokenFile":"a"},
             {"name":"p2","tokenEnv":"B"},{"name":"p3","tokenCommand":["gh","auth","token"]}]}
            """, file: "subject.json")
        #expect(whole.principals.map(\.token) == [.file("a"), .variable("B"), .command(["gh", "auth", "token"])])
        #expect(whole.headers == ["X-Tenant": "one"])
        let both = problems(#"{"url":"ws://x/ws","principals":[{"name":"p1","token":"a","tokenEnv":"B"}]}"#)
        #expect(both.first?.what == "'token' and 'tokenEnv' are both given", "\(both)")
    }

    @Test func `an unknown profile is answered with the nearest one`() {
        #expect(
            problems(#"{"name":"x","url":"ws://x/ws","profiles":["core","sync","synk"]}"#).map(\.description)
                == [
                    """
                    subject.json:1:57 /profiles/2: unknown profile 'synk'
                      expected: auth, client-core, client-push, client-sync, core, push, rate-limit, sync
                      fix: did you mean 'sync'?
                    """
                ])
    }

    @Test func `a profile without the one it needs is refused`() {
        #expect(
            problems(#"{"name":"x","url":"ws://x/ws","profiles":["sync","push"]}"#).map(\.description)
                == [
                    """
                    subject.json:1:42 /profiles: 'sync', 'push' need 'core', which is not declared
                      expected: core, sync, push
                      fix: add "core" to the list
                    """
                ])
        // The unknown one may be the needed one.
        #expect(problems(#"{"name":"x","url":"ws://x/ws","profiles":["sync","cor"]}"#).count == 1)
    }

    @Test func `every problem is told, each with its place`() {
        let found = problems(
            """
            {"nam":"x","url":"http://x","profiles":[],"agent":"skripted","tiers":[4],
             "principals":[{"name":"me","token":"a"},{"name":"p1"}],"start":{"comand":["x"]},"limits":{"replayMessages":-1}}
            """)
        #expect(
            found.map(\.location) == [
                "subject.json:1:8 /nam", "subject.json:1:18 /url", "subject.json:1:40 /profiles",
                "subject.json:1:51 /agent", "subject.json:1:71 /tiers/0", "subject.json:2:24 /principals/0/name",
                "subject.json:2:42 /principals/1", "subject.json:2:75 /start/comand", "subject.json:2:65 /start",
                "subject.json:2:109 /limits/replayMessages",
            ])
    }

    @Test func `a member that stands twice is told, because nobody can know which one was meant`() {
        let found = problems(
            """
            {"name": "x", "url": "ws://x/ws", "profiles": ["core"],
             "profiles": ["core", "sync"],
             "limits": {"replaySeconds": 5, "replaySeconds": 6}}
            """)
        #expect(
            found.map(\.description) == [
                """
                subject.json:2:14 /profiles: 'profiles' comes twice
                  expected: each member once
                  fix: remove one of them
                """,
                """
                subject.json:3:50 /limits/replaySeconds: 'replaySeconds' comes twice
                  expected: each member once
                  fix: remove one of them
                """,
            ])
    }

    @Test func `what the schema shows as an example can be read`() throws {
        let text = try #require(SpecificationFiles.embedded.texts["schemas/files/subject.json"])
        let root = try JSONParser.document(text).root
        let examples = try #require(root["examples"]?.arrayValue)
        #expect(!examples.isEmpty)
        for example in examples { _ = try SubjectFile(example.text(), file: "subject.json") }
    }
}
