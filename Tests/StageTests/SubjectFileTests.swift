import Holdfast
import JSON
import JSONSchema
import Testing

struct SubjectFileTests {
    private func problems(_ text: String) -> [String] {
        do {
            _ = try SubjectFile(text, file: "subject.json")
            return []
        } catch {
            return error.problems.map(\.description)
        }
    }

    @Test func `a whole subject file is read`() throws {
        let file = try SubjectFile(
            """
            {"name":"mine","version":"2","url":"wss://x.example/ws","http":"https://x.example/base","profiles":["core","sync"],
             "agent":"scripted","tiers":[1,2],"principals":[{"name":"p1","token":"a"},{"name":"p2","token":"b"}],
             "start":{"command":["serve","--fast"],"environment":{"A":""},"ready":"listening"},"limits":{"replayMessages":5}}
            """, file: "subject.json")
        #expect(file.profiles == [.core, .sync] && file.agent == .scripted && file.tiers == [1, 2])
        #expect(file.principals == [.init(name: "p1", token: "a"), .init(name: "p2", token: "b")])
        #expect(file.start?.command == ["serve", "--fast"] && file.start?.environment == ["A": ""])
        #expect(file.limits == ["replayMessages": 5] && file.dialect == "canonical")
    }

    @Test func `only a server that is started may leave its address out`() throws {
        let started = try SubjectFile(
            #"{"name":"x","profiles":["core"],"start":{"command":["serve"]}}"#, file: "subject.json")
        #expect(started.url == nil)
        #expect(problems(#"{"name":"x","profiles":["core"]}"#).count == 1)
    }

    @Test func `an unknown profile is answered with the nearest one`() {
        #expect(
            problems(#"{"name":"x","url":"ws://x/ws","profiles":["core","sync","synk"]}"#)
                == [
                    """
                    subject.json /profiles/2: unknown profile 'synk'
                      expected: auth, client-core, client-push, client-sync, core, idempotency, push, rate-limit, sync
                      fix: did you mean 'sync'?
                    """
                ])
    }

    @Test func `every problem is told, each with its place`() {
        let found = problems(
            """
            {"nam":"x","url":"http://x","profiles":[],"agent":"skripted","tiers":[4],
             "principals":[{"name":"me","token":"a"},{"name":"p1"}],"start":{"comand":["x"]},"limits":{"replayMessages":-1}}
            """)
        let places = found.map { $0.split(separator: ":").first.map(String.init) ?? "" }
        #expect(
            places == [
                "subject.json /nam", "subject.json", "subject.json /url", "subject.json /profiles",
                "subject.json /agent",
                "subject.json /tiers/0", "subject.json /principals/0/name", "subject.json /principals/1",
                "subject.json /start/comand", "subject.json /start", "subject.json /limits/replayMessages",
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
