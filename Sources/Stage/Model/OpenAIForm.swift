import HoldfastJSON
import HoldfastTransport

/// Answers in the form of `POST /v1/chat/completions`.
enum OpenAIForm {
    static func whole(_ answer: ModelAnswer) -> JSONValue {
        var message: JSONValue = ["role": "assistant", "content": nil, "refusal": nil]
        switch answer.output {
        case .text(let text): message["content"] = .string(text)
        case .tool(let tool, let input): message["tool_calls"] = [call(tool, input.text(), in: answer)]
        }
        var body = head(answer, object: "chat.completion")
        body["choices"] = [
            ["index": 0, "message": message, "logprobs": nil, "finish_reason": .string(reason(answer))]
        ]
        body["usage"] = usage(answer)
        return body
    }

    /// An answer as a series of `chat.completion.chunk`, then `[DONE]`.
    static func stream(_ answer: ModelAnswer, afterMs waitMs: Int) -> HTTPServerResponse {
        var stream = ModelStream(keepAlive: ": thinking\n\n")
        stream.add(chunk(answer, ["role": "assistant", "content": ""]))
        stream.add(waitMs: waitMs)
        switch answer.output {
        case .text(let text):
            for piece in ModelAnswer.pieces(of: text) { stream.add(chunk(answer, ["content": .string(piece)])) }
        case .tool(let tool, let input):
            var first = call(tool, "", in: answer)
            first["index"] = 0
            stream.add(chunk(answer, ["tool_calls": [first]]))
            for piece in ModelAnswer.pieces(of: input.text(), about: 2) {
                stream.add(chunk(answer, ["tool_calls": [["index": 0, "function": ["arguments": .string(piece)]]]]))
            }
        }
        stream.add(chunk(answer, [:], reason: reason(answer)))
        if answer.includesUsage {
            var last = head(answer, object: "chat.completion.chunk")
            last["choices"] = []
            last["usage"] = usage(answer)
            stream.add(last)
        }
        stream.add("[DONE]")
        return stream.response
    }

    private static func head(_ answer: ModelAnswer, object: String) -> JSONValue {
        [
            "id": .string("chatcmpl-\(answer.name)"), "object": .string(object), "created": 1_767_225_600,
            "model": .string(answer.model),
        ]
    }

    private static func chunk(_ answer: ModelAnswer, _ delta: JSONValue, reason: String? = nil) -> JSONValue {
        var chunk = head(answer, object: "chat.completion.chunk")
        let reason = reason.map { JSONValue.string($0) } ?? .null
        chunk["choices"] = [["index": 0, "delta": delta, "logprobs": nil, "finish_reason": reason]]
        return chunk
    }

    private static func call(_ tool: String, _ arguments: String, in answer: ModelAnswer) -> JSONValue {
        [
            "id": .string("call_\(answer.name)"), "type": "function",
            "function": ["name": .string(tool), "arguments": .string(arguments)],
        ]
    }

    private static func reason(_ answer: ModelAnswer) -> String {
        if case .tool = answer.output { "tool_calls" } else { "stop" }
    }

    private static func usage(_ answer: ModelAnswer) -> JSONValue {
        [
            "prompt_tokens": JSONValue(answer.inputTokens), "completion_tokens": JSONValue(answer.outputTokens),
            "total_tokens": JSONValue(answer.inputTokens + answer.outputTokens),
        ]
    }
}
