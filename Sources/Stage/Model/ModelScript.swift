import Holdfast
import HoldfastJSON

/// The model's reaction to one request: the next step of the script in the prompt, given the tool results.
///
/// A model remembers nothing: each request carries the whole conversation, and the tool results after the prompt show
/// how much of the script is done.
struct ModelScript: Sendable, Equatable {
    enum Act: Sendable, Equatable {
        case tool(String, input: JSONValue)
        case answer(String)
        case failure(String)
    }

    /// The wait before ``act``.
    var waitMs: Int
    var act: Act

    /// Nil if the script does not fail.
    var failure: String? { if case .failure(let words) = act { words } else { nil } }

    init(for request: ModelRequest) {
        waitMs = 0
        guard let steps = request.prompt.lazy.reversed().compactMap(Self.steps).first else {
            let words = request.prompt.last.map { String($0.prefix(200)) } ?? ""
            act = .answer(words.isEmpty ? "You said nothing." : "You said: \(words)")
            return
        }
        var toolsToPass = min(request.toolResults, steps.count { $0["tool"] != nil })
        for step in steps {
            if let tool = step["tool"]?.stringValue {
                if toolsToPass > 0 {
                    toolsToPass -= 1
                } else if let offered = request.tools.first(where: { $0 == tool }) ?? request.tools.first {
                    act = .tool(offered, input: Self.object(step["input"]))
                    return
                }
            } else if toolsToPass > 0 {
                continue
            } else if let wait = step["wait"]?.intValue {
                waitMs = min(waitMs + max(0, wait), AgentStep.maxWaitMs)
            } else if let reply = step["reply"]?.stringValue {
                act = .answer(reply)
                return
            } else if let words = step["fail"]?.stringValue {
                act = .failure(words)
                return
            } else {
                act = .failure("the script holds a step that is none of tool, wait, reply and fail")
                return
            }
        }
        act = .answer("The script is done.")
    }

    /// The steps in a text, even if the server under test wrote something around the prompt.
    static func steps(in text: String) -> [JSONValue]? {
        for candidate in [text[...]] + objects(in: text) {
            if let script = (try? JSONParser.value(String(candidate)))?["script"]?.arrayValue { return script }
        }
        return nil
    }

    /// The parts of a text that begin like a script, each up to its closing brace.
    private static func objects(in text: String) -> [Substring] {
        var found: [Substring] = []
        var rest = text[...]
        while let start = rest.firstRange(of: #"{"script""#)?.lowerBound {
            guard let end = endOfObject(text[start...]) else { break }
            found.append(text[start..<end])
            rest = text[end...]
        }
        return found
    }

    private static func endOfObject(_ text: Substring) -> Substring.Index? {
        var depth = 0
        var isString = false
        var isEscaped = false
        for index in text.unicodeScalars.indices {
            switch text.unicodeScalars[index] {
            case _ where isEscaped: isEscaped = false
            case "\\" where isString: isEscaped = true
            case "\"": isString.toggle()
            case "{" where !isString: depth += 1
            case "}" where !isString:
                depth -= 1
                if depth == 0 { return text.unicodeScalars.index(after: index) }
            default: continue
            }
        }
        return nil
    }

    /// The input of a tool is an object for both vendors.
    private static func object(_ input: JSONValue?) -> JSONValue {
        switch input {
        case nil: [:]
        case .object(let members): .object(members)
        case .some(let other): ["input": other]
        }
    }
}
