import Holdfast
import HoldfastJSON
import HoldfastJSONSchema
import Testing

@testable import HoldfastReference

@Suite struct RepliesTests {
    private static func replies(_ text: String) throws -> Replies { try Replies(text, file: "replies.json") }

    @Test func `the first rule that holds is followed, and a script in the question goes before all`() throws {
        var replies = try Self.replies(
            #"""
            {"replies": [
              {"is": "Hello", "reply": "one"},
              {"contains": "WEATHER", "script": [{"tool": "web", "input": [1]}, {"wait": 5}, {"fail": "no"}]},
              {"matches": "^book .+", "script": [{"wait": 1}, {"reply": "{question}!"}]},
              {"contains": "book", "reply": "two"}],
             "default": {"reply": "three"}}
            """#)
        #expect(replies.steps(for: "  hELLO\n") == [.reply("one")])
        #expect(replies.steps(for: "hello you") == [.reply("three")])
        #expect(replies.steps(for: "the Weather?") == [.tool("web", input: [1]), .wait(5), .fail("no")])
        #expect(replies.steps(for: "book a room") == [.wait(1), .reply("book a room!")])
        #expect(replies.steps(for: "a book") == [.reply("two")])
        #expect(Agent.steps(for: script(["reply": "mine"]), among: &replies) == [.reply("mine")])
    }

    @Test func `a rule for some times has been used up then`() throws {
        var replies = try Self.replies(#"{"replies":[{"is":"a","times":2,"fail":"busy"},{"is":"a","reply":"b"}]}"#)
        let answers = (0..<3).map { _ in replies.steps(for: "a") }
        #expect(answers == [[.fail("busy")], [.fail("busy")], [.reply("b")]])
        #expect(replies.steps(for: "c") == nil)
        #expect(Agent.steps(for: "c", among: &replies) == [.reply("You said: c")])
    }

    @Test func `an answer that repeats a question stays within its bound`() throws {
        var long = try Self.replies(
            "{\"default\":{\"reply\":\"\(String(repeating: AgentStep.placeholder, count: 40_000))\"}}")
        guard case .fail = long.steps(for: String(repeating: "x", count: 400))?.first else {
            Issue.record("16 MB were answered")
            return
        }
    }

    @Test func `every problem of a file is told with its line and a fix`() throws {
        let text = """
            {"replies": [
              {"is": "a"},
              {"is": "a", "contains": "b", "reply": "c"},
              {"matches": "(", "reply": "c"},
              {"is": "a", "script": [{"reply": "b"}, {"wait": 1}]},
              {"is": "a", "script": [{"tol": "b"}]},
              {"is": "a", "times": 0, "reply": "b"},
              {"is": "a", "replay": "b"}
            ]}
            """
        do {
            _ = try Self.replies(text)
            Issue.record("it was taken")
        } catch let problems as InputProblems {
            let told = problems.problems.map { "\($0.location): \($0.what)" }
            #expect(told.contains("replies.json:2:3 /replies/0: none of reply, fail, script"))
            #expect(told.contains("replies.json:3:3 /replies/1: is and contains at once"))
            #expect(
                told.contains { $0.hasPrefix("replies.json:4:15 /replies/2/matches: '(' is not a regular expression") })
            #expect(told.contains("replies.json:5:26 /replies/3/script/0: the steps after it are never reached"))
            #expect(told.contains("replies.json:6:26 /replies/4/script/0: none of tool, wait, reply, fail"))
            #expect(told.contains("replies.json:7:24 /replies/5/times: found 0"))
            #expect(problems.problems.contains { $0.fix == "did you mean 'reply'?" })
        }
        #expect(throws: InputProblems.self) { try Self.replies("{}") }
        #expect(throws: InputProblems.self) { try Self.replies("[") }
        #expect(throws: InputProblems.self) { try Self.replies("[]") }
    }

    @Test func `the replies that come along are read, and pass the schema`() throws {
        let texts = SpecificationFiles.embedded.texts
        let text = try #require(texts["replies/demo.json"])
        var replies = try Replies(text, file: "demo.json")
        #expect(!replies.isEcho)
        #expect(replies.steps(for: "anything")?.last == .reply("You said: anything"))
        let schema = try Schema(JSONParser.value(#require(texts["schemas/files/replies.json"])))
        #expect(schema.violations(in: try JSONParser.value(text)).isEmpty)
        for wrong in ["{}", #"{"replies":[{"is":"a"}]}"#, #"{"default":{"reply":"a","fail":"b"}}"#] {
            #expect(!schema.violations(in: try JSONParser.value(wrong)).isEmpty, "\(wrong)")
            #expect(throws: InputProblems.self, "\(wrong)") { try Self.replies(wrong) }
        }
    }
}
