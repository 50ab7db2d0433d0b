import Holdfast
import HoldfastJSON
import HoldfastPlatform

/// The questions of a scenario that are repeated under the same key, and their transports.
///
/// Only its key makes a question a repeat. On a transport whose wire carries no key, the same text again is a new
/// question, and the server's reaction says nothing about repeats.
final class RepeatedQuestions: Sendable {
    private enum Transport: String {
        case socket = "on a socket"
        case rest = "over REST"
    }

    private struct Asking {
        /// The key, as in the scenario.
        let key: String
        let transport: Transport
        /// Whether later steps use values from the answer.
        let isSaved: Bool
    }

    private let dialect: String
    /// The transports on which a key is lost.
    private let keyless: Set<Transport>
    /// The transport of the first question, by the step that repeats it.
    private let firstTransports: [JSONPointer: Transport]
    /// The keys asked so far by steps that a `repeat` performs several times.
    private let asked = Mutex<Set<String>>([])

    init(_ steps: [ScenarioStep], of profiles: Set<Profile>, in dialect: Dialect) {
        self.dialect = dialect.name
        keyless = dialect.isCanonical ? [] : Self.keyless(in: dialect)
        var firstTransports: [JSONPointer: Transport] = [:]
        if !keyless.isEmpty {
            var known: [String: Transport] = [:]
            Self.collect(steps, profiles, hasAcks: dialect.hasAcks, &known, &firstTransports)
        }
        self.firstTransports = firstTransports
    }

    /// Makes sure that a repeated question can be distinguished from a new one.
    /// - Throws: ``StepEnd/inexpressible(_:)`` if not, and ``StepEnd/unmet(_:)`` if later steps need its answer.
    func check(_ step: ScenarioStep, with variables: ScenarioVariables) throws {
        guard !keyless.isEmpty, let asking = Self.asking(step.action) else { return }
        var first = firstTransports[step.pointer]
        if first == nil, let key = try? variables.text(asking.key) {
            // The rounds of a `repeat` are alike, so each of them may be the first.
            let isFirst = asked.withLock { $0.insert(key).inserted }
            first = isFirst ? nil : asking.transport
        }
        guard let first, let transport = [asking.transport, first].first(where: keyless.contains) else { return }
        let reason =
            "the dialect \(dialect) carries no key \(transport.rawValue), so a resend there is a new question"
        throw asking.isSaved ? StepEnd.unmet("\(step.pointer): \(reason)") : StepEnd.inexpressible(reason)
    }

    // MARK: what a scenario says

    private static func collect(
        _ steps: [ScenarioStep], _ profiles: Set<Profile>, hasAcks: Bool, _ known: inout [String: Transport],
        _ firstTransports: inout [JSONPointer: Transport]
    ) {
        for step in steps {
            guard step.isFor(profiles, hasAcks: hasAcks) else { continue }
            switch step.action {
            case .together(let branches):
                for branch in branches { collect(branch, profiles, hasAcks: hasAcks, &known, &firstTransports) }
            case .repeat(_, _, _, _, let steps):
                collect(steps, profiles, hasAcks: hasAcks, &known, &firstTransports)
            default:
                guard let asking = asking(step.action) else { continue }
                if let first = known[asking.key] {
                    firstTransports[step.pointer] = first
                } else {
                    known[asking.key] = asking.transport
                }
            }
        }
    }

    private static func asking(_ action: ScenarioStep.Action) -> Asking? {
        switch action {
        case .chat(let question, _):
            return key(of: question).map { Asking(key: $0, transport: .socket, isSaved: false) }
        case .postChat(let question, _, let save):
            return key(of: question).map { Asking(key: $0, transport: .rest, isSaved: !save.isEmpty) }
        case .send(let frame, _, _) where frame["type"] == "chat":
            return frame["clientMessageId"]?.stringValue.map { Asking(key: $0, transport: .socket, isSaved: false) }
        // A request without a valid credential is not a question.
        case .http(let exchange)
        where exchange.method == "POST" && exchange.path == "/api/chat" && exchange.credential.token == .own:
            return exchange.body?["clientMessageId"]?.stringValue.map {
                Asking(key: $0, transport: .rest, isSaved: !exchange.save.isEmpty)
            }
        default: return nil
        }
    }

    private static func key(of question: ScenarioStep.Question) -> String? {
        question.key ?? question.name.map { "question \($0)" }
    }

    // MARK: what a dialect says

    private static func keyless(in dialect: Dialect) -> Set<Transport> {
        let key: JSONValue = "a key"
        let body: JSONValue = ["messages": [["role": "user", "content": "x"]], "clientMessageId": key]
        var frame = body
        frame["type"] = "chat"
        var transports: Set<Transport> = []
        if let seen = dialect.read(frame, sentBy: .client), seen["clientMessageId"] != key {
            transports.insert(.socket)
        }
        let request = RESTRequest(method: "POST", path: "/api/chat", body: body.text())
        if let wire = dialect.encode(request), let seen = dialect.decode(wire)?.body,
            (try? JSONParser.value(seen))?["clientMessageId"] != key
        {
            transports.insert(.rest)
        }
        return transports
    }
}
