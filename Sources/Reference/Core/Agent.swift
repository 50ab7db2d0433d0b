import JSON

/// The agent of the reference server: obeys a script in the question, and answers plain text at once.
///
/// A script is the JSON text `{"script":[{"tool":"webFetch"},{"wait":300},{"reply":"text"}]}`, or one that ends with
/// `{"fail":"model exploded"}`. A server with a real model puts its call here; nothing else would change.
enum Agent {
    /// What the agent does next.
    enum Step: Sendable, Equatable {
        /// It uses a tool, with what it gives to it.
        case tool(String, input: JSONValue?)
        /// It thinks, for so many milliseconds.
        case wait(Int)
        /// It answers, and is done.
        case reply(String)
        /// It gives up, with the reason.
        case fail(String)
    }

    /// The longest wait a script may ask for: ten minutes.
    static let maxWaitMs = 600_000
    /// The longest answer, in bytes of its JSON text; with its frame around it, it stays below one MiB.
    static let maxAnswerBytes = 1_000_000
    /// How much of a question a plain answer repeats, in characters.
    static let maxEchoCharacters = 400

    /// What the agent does about a question: any number of tools and waits, then exactly one reply or failure.
    static func steps(for question: String) -> [Step] {
        guard question.first == "{", let root = try? JSONParser.value(question),
            case .array(let script)? = root["script"]
        else { return [.reply(answer(to: question))] }
        var steps: [Step] = []
        for element in script {
            guard let step = step(element) else {
                return [.fail("the script holds a step that is none of tool, wait, reply and fail")]
            }
            steps.append(step)
            switch step {
            case .reply(let text) where JSONValue.string(text).text().utf8.count > maxAnswerBytes:
                steps[steps.count - 1] = .fail("the answer is longer than \(maxAnswerBytes) bytes")
                return steps
            case .reply, .fail: return steps
            case .tool, .wait: continue
            }
        }
        return steps + [.reply(answer(to: question))]
    }

    private static func step(_ element: JSONValue) -> Step? {
        if let tool = element["tool"]?.stringValue, !tool.isEmpty, tool.utf8.count <= 256 {
            return .tool(tool, input: element["input"])
        }
        if let wait = element["wait"]?.intValue, wait >= 0 { return .wait(min(wait, maxWaitMs)) }
        if let reply = element["reply"]?.stringValue { return .reply(reply) }
        if let reason = element["fail"]?.stringValue { return .fail(reason) }
        return nil
    }

    private static func answer(to question: String) -> String {
        let echo = question.prefix(maxEchoCharacters)
        guard !echo.isEmpty else { return "You said nothing." }
        guard echo.utf8.count <= maxAnswerBytes / 8 else { return "You said something very long." }
        return "You said: \(echo)\(echo.endIndex == question.endIndex ? "" : "…")"
    }
}
