import Holdfast
import HoldfastJSON

/// The model's reaction to one request: the script in the prompt, from the step that the tools' results show.
///
/// A model remembers nothing: each request carries the whole conversation, and the results of tools that came after the
/// prompt tell how far its script is.
struct ModelScript: Sendable, Equatable {
    /// How one request ends.
    enum Act: Sendable, Equatable {
        /// A tool is to be used, with what it is given.
        case tool(String, input: JSONValue)
        case answer(String)
        /// The vendor's error.
        case failure(String)
    }

    /// How long the model thinks before, in milliseconds.
    var waitMs: Int
    /// The next action.
    var act: Act

    /// The words of a failure; nil when it does not fail.
    var failure: String? {
        if case .failure(let words) = act { words } else { nil }
    }

    init(for request: ModelRequest) {
        waitMs = 0
        guard let steps = request.prompt.lazy.reversed().compactMap(Self.steps).first else {
            let words = request.prompt.last.map { String($0.prefix(200)) } ?? ""
            act = .answer(words.isEmpty ? "You said nothing." : "You said: \(words)")
            return
        }
        var toolsToPass = min(request.results, steps.count { $0["tool"] != nil })
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

    /// The steps in a text, also where the server under test wrote something around the prompt.
    static func steps(in text: String) -> [JSONValue]? {
        for candidate in [text[...]] + objects(in: text) {
            if let script = (try? JSONParser.value(String(candidate)))?["script"]?.arrayValue { return script }
        }
        return nil
    }

    /// The pieces of a text that begin like a script, each to where its braces close.
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
