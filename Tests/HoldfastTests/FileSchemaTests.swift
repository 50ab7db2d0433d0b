import Holdfast
import TestSupport
import Testing

/// The words in which the schema of a file says what is wrong with it.
@Suite struct FileSchemaTests {
    private func subject(_ text: String) -> [String] {
        inputProblems(of: try SubjectFile(text, file: "s.json")).map {
            "\($0.location): \($0.what) | \($0.expected) | \($0.fix)"
        }
    }

    @Test func `each kind of fault has its words, and the order is that of the file`() {
        let text = """
            {"name":"","urll":"ws://x","url":"http://x","profiles":["core","core"],"tiers":[],"agent":"modle",
             "start":{"command":[]},"limits":{"replayMessages":"5"},"principals":[{"name":"p1","token":7},7]}
            """
        let members =
            "agent, description, dialect, headers, http, limits, name, principals, profiles, push, start, tiers, url, version"
        #expect(
            subject(text) == [
                "s.json:1:19 /urll: unknown member 'urll' | \(members) | did you mean 'url'?",
                "s.json:1:9 /name: found an empty string | a string that is not empty | correct the value",
                "s.json:1:34 /url: found 'http://x' | an address that starts with ws://, or wss:// | correct the value",
                "s.json:1:64 /profiles/1: 'core' is listed twice | each of them once | remove one",
                "s.json:1:80 /tiers: found an empty array | at least 1 element: the tiers of scenarios to perform: "
                    + "1 without fixture, 2 with a scripted agent, 3 with a model endpoint | correct the value",
                "s.json:1:91 /agent: unknown agent 'modle' | model, plain, scripted | did you mean 'model'?",
                "s.json:2:21 /start/command: found an empty array | "
                    + "at least 1 element: the program and its arguments | correct the value",
                "s.json:2:52 /limits/replayMessages: found '5' | an integer from 0 to 9007199254740991 | "
                    + "correct the value",
                "s.json:2:92 /principals/0/token: found 7 | a string that is not empty | correct the value",
                "s.json:2:95 /principals/1: found 7 | an object | write an object",
            ])
    }

    @Test func `a member that is missing and one that is misspelled are both told`() {
        #expect(
            subject(#"{"nam":"x","profiles":["core"]}"#).map { $0.prefix { $0 != "|" } } == [
                "s.json:1:8 /nam: unknown member 'nam' ", "s.json:1:1: 'url' is missing ",
            ])
    }

    @Test func `what is secret is named by its owner`() {
        let found = subject(#"{"name":"x","url":"ws://x/ws","profiles":["core"],"push":{"devices":{"p1":"short"}}}"#)
        #expect(found.count == 1 && found.first?.contains("found '‹device of p1›'") == true)
    }

    @Test func `every kind of file is held against its schema`() {
        func place(_ read: () throws -> Void) -> String? {
            do {
                try read()
                return nil
            } catch {
                return (error as? InputProblems)?.problems.map { "\($0.location): \($0.what), \($0.expected)" }.first
            }
        }
        let refused = "f:1:1: found 7, an object"
        #expect(place { _ = try SubjectFile("7", file: "f") } == refused)
        #expect(place { _ = try Dialect("7", file: "f") } == refused)
        #expect(place { _ = try ScenarioReader.scenario("7", named: "server/SYNC/x", file: "f") } == refused)
        #expect(place { _ = try ClientScenarioReader.scenario("7", named: "client/CLIENT/x", file: "f") } == refused)
    }
}
