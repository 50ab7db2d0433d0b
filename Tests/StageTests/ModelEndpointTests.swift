import Foundation
import HoldfastJSON
import HoldfastTransport
import Subprocess
import TestSupport
import Testing

@testable import HoldfastStage

@Suite struct ModelEndpointTests {
    /// What the model does about a conversation in OpenAI's form.
    private func script(_ messages: JSONValue, tools: [String] = []) throws -> Script {
        let offered = tools.map { ["type": "function", "function": ["name": .string($0)]] as JSONValue }
        let body: JSONValue = ["model": "m", "messages": messages, "tools": .array(offered)]
        let script = ModelScript(for: try ModelRequest(body, of: .openAI, bytes: 100))
        return Script(script.waitMs, script.act)
    }

    private struct Script: Equatable {
        let waitMs: Int
        let act: ModelScript.Act

        init(_ waitMs: Int, _ act: ModelScript.Act) {
            self.waitMs = waitMs
            self.act = act
        }
    }

    private func user(_ text: String) -> JSONValue { ["role": "user", "content": .string(text)] }
    private let called: JSONValue = ["role": "assistant", "content": nil, "tool_calls": []]
    private let result: JSONValue = ["role": "tool", "content": "done"]
    private let steps = #"{"script":[{"wait":100},{"tool":"a"},{"wait":20},{"tool":"b"},{"wait":3},{"reply":"r"}]}"#

    @Test func `results of tools tell how far a script is`() throws {
        let asked = user(steps)
        #expect(try script([asked], tools: ["a", "b"]) == Script(100, .tool("a", input: [:])))
        #expect(try script([asked, called, result], tools: ["a", "b"]) == Script(20, .tool("b", input: [:])))
        #expect(
            try script([asked, called, result, called, result], tools: ["a", "b"]) == Script(3, .answer("r")))
    }

    @Test func `results of earlier questions do not count`() throws {
        let talk: JSONValue = [user(steps), called, result, ["role": "assistant", "content": "r"], user(steps)]
        #expect(try script(talk, tools: ["a", "b"]) == Script(100, .tool("a", input: [:])))
    }

    @Test func `a tool that is not offered becomes the first one, or none`() throws {
        let asked = user(#"{"script":[{"tool":"x","input":7},{"reply":"r"}]}"#)
        #expect(try script([asked], tools: ["first", "y"]) == Script(0, .tool("first", input: ["input": 7])))
        #expect(try script([asked]) == Script(0, .answer("r")))
    }

    @Test func `an ordinary question after a script is no script`() throws {
        let failed = user(#"{"script":[{"fail":"no"}]}"#)
        #expect(try script([failed]) == Script(0, .failure("no")))
        #expect(try script([failed, user("and now?")]) == Script(0, .answer("You said: and now?")))
    }

    @Test func `a script is found in what a server writes around it`() throws {
        let wrapped = #"<time>now</time> {"script":[{"reply":"a } and a \" brace"}]} <end/>"#
        #expect(try script([user(wrapped)]).act == .answer(#"a } and a " brace"#))
        #expect(try script([user(#"{"script": 7}"#)]).act == .answer(#"You said: {"script": 7}"#))
    }

    @Test func `errors have the form of the vendor that is asked`() async throws {
        let endpoint = try await ModelEndpoint.start()
        let wrong = try await ask("GET", endpoint.httpURL("") + "/v1/messages")
        #expect(wrong.status == 405)
        #expect(try JSONParser.value(wrong.text)["error"]?["type"] == "invalid_request_error")
        let broken = try await ask("POST", endpoint.httpURL("") + "/v1/chat/completions", "{")
        #expect(broken.status == 400)
        #expect(try JSONParser.value(broken.text)["error"]?["message"] == "the body is not JSON")
        let large = try await ask("POST", endpoint.httpURL("/v1/messages"), String(repeating: " ", count: 17 << 20))
        #expect(large.status == 413)
        #expect(try JSONParser.value(large.text)["error"]?["type"] == "request_too_large")
        await endpoint.stop(graceful: .zero)
    }

    @Test(.enabled(if: ExamplePython.has("openai", "anthropic"), "no Python with the packages openai and anthropic"))
    func `the vendors' own packages understand it`() async throws {
        let endpoint = try await ModelEndpoint.start()
        let program = SourceTree.root + "/Tests/Examples/python/ask_model.py"
        let (status, output) = try await ExamplePython.run([program, endpoint.httpURL("")])
        #expect(status == 0, "\(output)")
        #expect(output.contains("openai: a streamed tool ends"))
        #expect(output.contains("anthropic: a failure"))
        await endpoint.stop(graceful: .zero)
    }

    private func ask(_ method: String, _ url: String, _ body: String = "") async throws -> HTTPAnswer {
        let headers = [("Content-Type", "application/json"), ("X-Api-Key", "unused")]
        let request = HTTPRequestSpec(method, try Endpoint(url), headers: headers, body: Array(body.utf8))
        return try await HTTPExchange.perform(request, timeout: .seconds(60))
    }
}
