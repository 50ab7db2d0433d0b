import HoldfastJSON
import HoldfastTransport

/// Answers in the form of `POST /v1/messages`.
enum AnthropicForm {
    static func whole(_ answer: ModelAnswer) -> JSONValue {
        var message = head(answer, outputTokens: answer.outputTokens)
        switch answer.output {
        case .text(let text): message["content"] = [["type": "text", "text": .string(text)]]
        case .tool(let tool, let input): message["content"] = [use(of: tool, input, in: answer)]
        }
        message["stop_reason"] = .string(reason(answer))
        return message
    }

    /// An answer from `message_start` to `message_stop`.
    static func stream(_ answer: ModelAnswer, afterMs waitMs: Int) -> HTTPServerResponse {
        var stream = ModelStream(keepAlive: "event: ping\ndata: {\"type\":\"ping\"}\n\n")
        func add(_ type: String, _ members: JSONObject) {
            var event: JSONValue = ["type": .string(type)]
            for member in members { event[member.key] = member.value }
            stream.add(event: type, event)
        }
        func add(delta: JSONValue) { add("content_block_delta", JSONObject([("index", 0), ("delta", delta)])) }
        func begin(_ block: JSONValue) {
            add("content_block_start", JSONObject([("index", 0), ("content_block", block)]))
        }

        add("message_start", JSONObject([("message", head(answer, outputTokens: 1))]))
        stream.add(waitMs: waitMs)
        switch answer.output {
        case .text(let text):
            begin(["type": "text", "text": ""])
            add("ping", JSONObject())
            for piece in ModelAnswer.pieces(of: text) { add(delta: ["type": "text_delta", "text": .string(piece)]) }
        case .tool(let tool, let input):
            begin(use(of: tool, [:], in: answer))
            add("ping", JSONObject())
            for piece in ModelAnswer.pieces(of: input.text(), about: 2) {
                add(delta: ["type": "input_json_delta", "partial_json": .string(piece)])
            }
        }
        add("content_block_stop", JSONObject([("index", 0)]))
        let end: JSONValue = ["stop_reason": .string(reason(answer)), "stop_sequence": nil]
        let usage: JSONValue = ["output_tokens": JSONValue(answer.outputTokens)]
        add("message_delta", JSONObject([("delta", end), ("usage", usage)]))
        add("message_stop", JSONObject())
        return stream.response
    }

    private static func head(_ answer: ModelAnswer, outputTokens: Int) -> JSONValue {
        [
            "id": .string("msg_\(answer.name)"), "type": "message", "role": "assistant",
            "model": .string(answer.model), "content": [], "stop_reason": nil, "stop_sequence": nil,
            "usage": [
                "input_tokens": JSONValue(answer.inputTokens), "output_tokens": JSONValue(outputTokens),
                "cache_creation_input_tokens": 0, "cache_read_input_tokens": 0,
            ],
        ]
    }

    private static func use(of tool: String, _ input: JSONValue, in answer: ModelAnswer) -> JSONValue {
        ["type": "tool_use", "id": .string("toolu_\(answer.name)"), "name": .string(tool), "input": input]
    }

    private static func reason(_ answer: ModelAnswer) -> String {
        if case .tool = answer.output { "tool_use" } else { "end_turn" }
    }
}
