import Holdfast
import HoldfastJSON
import HoldfastTranscript

/// A client's message that a server must not, or need not, accept, with the `error` that answers it.
struct HostileFrame: Sendable {
    let frame: Frame
    let kind: Kind
    /// The `error` that answers it, without turn and position.
    var answer: Frame?
    /// In a capture, the event by which the server accepted it like any other message; nil otherwise.
    var accepted: Int?
    /// The first greeting on any connection opened after it.
    var laterGreeting: Int?

    /// Whether it may explain the end of its own connection; a free message does so only if it is too deeply nested.
    var mayExplainEnd: Bool {
        if case .tooDeep = frame.problem?.kind { return true }
        return kind != .free
    }

    enum Kind: Sendable, Equatable {
        case notJSON
        case notObject
        /// An object without a string `type`.
        case untyped
        /// A binary message, or text that is not UTF-8.
        case binary
        case unknownType
        /// A known type that violates its schema, or that is not allowed after the greeting.
        case invalid
        /// An invalid message with a number that a parser may reject.
        case invalidNumber
        /// Larger than the server's announced limit.
        case oversize
        /// A message that the specification lets a server accept or refuse.
        case free

        var codes: Set<String> {
            switch self {
            case .notJSON, .notObject, .binary, .invalidNumber: ["parse_error", "bad_request"]
            case .untyped: ErrorMeaning.malformed
            case .unknownType: ["unknown_type"]
            case .invalid: ["bad_request"]
            case .oversize: ["too_large"]
            case .free: ErrorMeaning.general
            }
        }

        func fits(_ code: String?) -> Bool { code.map(codes.contains) ?? true }
    }

    /// The kind of each hostile message after `connected`, by event.
    static func kinds(
        in history: History, on connections: [ObservedConnection], schemas: MessageSchemas, hasSync: Bool
    ) -> [Int: Kind] {
        let own = Set(schemas.types(sentBy: .client))
        let foreign = Set(schemas.types(sentBy: .server))
        var tape = JSONTape()
        func kind(of frame: Frame, limit: Int?) -> Kind? {
            if frame.wireBytes > limit ?? .max { return .oversize }
            if frame.isBinary { return .binary }
            guard let document = frame.document else {
                guard case .tooDeep = frame.problem?.kind else { return .notJSON }
                // A list is not a frame, however deeply nested.
                guard case .text(_, let text) = history.events[frame.event].kind else { return .free }
                return text.first { !$0.isWhitespace } == "[" ? .notObject : .free
            }
            // Duplicate names and lone surrogates may be accepted or refused.
            guard document.flaws.isEmpty else { return .free }
            guard document.root.objectValue != nil else { return .notObject }
            guard let type = frame.type else { return .untyped }
            guard own.contains(type) else { return foreign.contains(type) ? .free : .unknownType }
            // Only the first frame of a connection may authenticate.
            if frame.kind == .auth { return .invalid }
            if frame.kind == .sync, !hasSync { return .free }
            let problems = schemas.validate(document.root, as: type, in: &tape)
            if frame.kind == .chat, problems.isEmpty, !endsWithUser(document.root) { return .invalid }
            let isBounded = document.root.hasBoundedNumbers
            guard !problems.isEmpty else { return isBounded ? nil : .free }
            // Integers with a fraction, and impossible session ids, have rules of their own.
            let isOwn = problems.contains { $0.flaw == nil && $0.instance != JSONPointer("/sessionId") }
            let hasTypedSession = document.root["sessionId"].map { $0.stringValue != nil } ?? true
            if isOwn || !hasTypedSession { return isBounded ? .invalid : .invalidNumber }
            return problems.contains { $0.flaw != nil } ? .free : nil
        }
        var kinds: [Int: Kind] = [:]
        for connection in connections {
            guard let connected = connection.connected else { continue }
            let limit = connection.limit("maxFrameBytes")
            for frame in connection.sent where frame.event > connected {
                if let kind = kind(of: frame, limit: limit) { kinds[frame.event] = kind }
            }
        }
        return kinds
    }

    /// Each hostile message with its answer.
    ///
    /// A server answers in the order of reading, so the first unanswered message gets the next `error` that ends no
    /// turn, unless its timeout passed before a later one was sent. In a capture, a server may have accepted a message
    /// it should have refused, and answers may be missing. There, accepted messages wait no longer, and an `error`
    /// answers the first message that its code fits, preferably one after which the server has answered no other, else
    /// the message just before it.
    static func all(of kinds: [Int: Kind], in history: Observations) -> [HostileFrame] {
        guard !kinds.isEmpty else { return [] }
        let endings = Set(history.turns.flatMap(\.endings).map(\.event))
        var refused: [Int: Int] = [:]
        for request in history.turns.flatMap(\.requests) {
            if let refusal = request.refusal, request.connection != nil { refused[refusal] = request.event }
        }
        let settled = Set(refused.values)
        var all: [HostileFrame] = []
        for connection in history.connections {
            guard let connected = connection.connected else { continue }
            var hostile: [HostileFrame] = []
            var waiting: [Int] = []
            var lastPing = 0
            var passed = PassedFrames()
            var lastSent = -1
            for (frame, isSent) in connection.frames where frame.event > connected {
                if isSent, frame.kind == .ping { lastPing = frame.event }
                if history.isCapture {
                    passed.take(frame, isSent: isSent, history.history.events[frame.event].kind)
                    waiting.removeAll { passed.answers[hostile[$0].frame.event] != nil }
                }
                if isSent {
                    lastSent = frame.event
                    guard let kind = kinds[frame.event] else { continue }
                    waiting.append(hostile.count)
                    hostile.append(HostileFrame(frame: frame, kind: kind))
                } else if frame.kind == .pong {
                    waiting.removeAll { hostile[$0].kind == .free && hostile[$0].frame.event < lastPing }
                } else if frame.isRefusal, !endings.contains(frame.event) {
                    if let request = refused[frame.event] {
                        guard let index = hostile.firstIndex(where: { $0.frame.event == request }) else { continue }
                        hostile[index].answer = frame
                        waiting.removeAll { $0 == index }
                        continue
                    }
                    waiting.removeAll { hostile[$0].kind == .free && !ErrorMeaning.general.contains(frame.code ?? "") }
                    // A message without an answer in time gets none once a later message is answered.
                    waiting.removeAll { index in
                        let (sent, last) = (hostile[index].frame.event, hostile[hostile.endIndex - 1].frame.event)
                        guard last > sent else { return false }
                        return history.deadline(after: sent, within: history.timeouts.error, on: frame.connection)
                            .isBefore(last + 1)
                    }
                    let isOfQuestion = ErrorMeaning.ofQuestions.contains(frame.code ?? "")
                    let fits = { hostile[$0].kind.fits(frame.code) }
                    let next =
                        history.isCapture
                        ? waiting.firstIndex { fits($0) && hostile[$0].frame.event > passed.last }
                            ?? waiting.firstIndex(where: fits)
                            ?? waiting.firstIndex { hostile[$0].frame.event == lastSent }
                        : waiting.firstIndex { index in
                            let frame = hostile[index].frame
                            return !settled.contains(frame.event) && (frame.kind == .chat || !isOfQuestion)
                        }
                    guard let next else { continue }
                    hostile[waiting.remove(at: next)].answer = frame
                }
            }
            for index in hostile.indices where hostile[index].answer == nil {
                hostile[index].accepted = passed.answers[hostile[index].frame.event]
            }
            all += hostile
        }
        all.sort { $0.frame.event < $1.frame.event }
        // From the last connection to the first.
        var (remaining, greeted) = (history.connections[...], Int.max)
        for index in all.indices.reversed() {
            while let last = remaining.last, last.opening > all[index].frame.event {
                greeted = min(greeted, last.connected ?? .max)
                remaining.removeLast()
            }
            if greeted < .max { all[index].laterGreeting = greeted }
        }
        return all
    }
}

extension JSONValue {
    /// Whether each number fits 64 bits, as an integer or a double; RFC 8259 lets a parser reject others.
    fileprivate var hasBoundedNumbers: Bool {
        switch self {
        case .number(let number): number.double.magnitude < 0x1p63
        case .array(let values): values.allSatisfy(\.hasBoundedNumbers)
        case .object(let object): object.allSatisfy { $0.value.hasBoundedNumbers }
        default: true
        }
    }
}

func endsWithUser(_ question: JSONValue) -> Bool { question["messages"]?.arrayValue?.last?["role"] == "user" }

extension Observations {
    enum Survival {
        /// Alive: the server sent a later frame.
        case alive
        /// Dead: the server ended it or stopped answering, as the event shows.
        case dead(any HasEvent)
        case unknown
    }

    /// Whether the connection outlived a message; a later hostile message takes the blame for later events.
    func survival(of hostile: HostileFrame) -> Survival {
        let connection = connections[hostile.frame.connection]
        let start = hostile.answer?.event ?? hostile.frame.event
        if hasOutlived(hostile, before: .max) { return .alive }
        let next = hostileFrames.first {
            $0.frame.connection == hostile.frame.connection && $0.frame.event > hostile.frame.event
        }
        if let ending = connection.ending, connection.wasEndedByServer, ending.event > hostile.frame.event {
            let isOther = (next?.frame.event ?? .max) < ending.event
            let isLate = effectiveTime(of: ending.event) > effectiveTime(of: start) + timeouts.close.microseconds
            let isStop = wasStopped(between: hostile.frame.event, and: ending.event)
            let isSilence = ending.mayBeSilence || ending.isForSilence
            // A server may end a connection at a message that is too large or not UTF-8, and reads nothing after it.
            let isUnread = hostileFrames.contains {
                $0.frame.connection == hostile.frame.connection && $0.frame.event < hostile.frame.event
                    && ($0.kind == .oversize || $0.kind == .binary && ending.has(code: 1007)) && $0.answer == nil
            }
            return isOther || isLate || isStop || isSilence || isUnread ? .unknown : .dead(ending.event)
        }
        if connection.received.contains(where: { $0.event > start }) { return .alive }
        let ping = connection.sent.first { $0.event > hostile.frame.event && $0.kind == .ping }
        guard let ping, ping.event < next?.frame.event ?? .max else { return .unknown }
        return deadline(after: ping.event, within: timeouts.pong, on: ping.connection).map { .dead($0) } ?? .unknown
    }
}
