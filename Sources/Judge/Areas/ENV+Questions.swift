import Holdfast
import HoldfastJSON
import HoldfastTranscript

extension ENV {
    /// ENV-7, rule 2: no valid question is called malformed: by `bad_request`, `parse_error`, `unknown_type` or 400, or
    /// by an `internal` without names, which only an unreadable frame gets.
    ///
    /// Tested once for each valid question that was accepted or called malformed. An `error` without a key counts only
    /// if nothing else on its connection can have been malformed.
    static func validQuestionsAreNotMalformed(_ history: Observations, _ evidence: inout Evidence) {
        lazy var hostile = Set(history.hostileFrames.map(\.frame.connection))
        let codes = ErrorMeaning.malformed.union(["internal"])
        for (turn, request) in history.requests where history.isValidQuestion(request) {
            let nameless = turn.isAccepted ? nil : history.nameless(codes, after: request)
            guard let refusal = request.refusal ?? nameless else {
                if request.ack != nil || request.outcome != nil || turn.isAccepted { evidence.keep() }
                continue
            }
            let isMalformed =
                request.connection == nil
                ? history.exchange(of: request)?.status == 400
                : request.refusal == nil || ErrorMeaning.malformed.contains(request.refusalCode ?? "")
            guard isMalformed, !history.mayBeRefused(request) else { continue }
            let isNamed = request.clientMessageId.map { history.frames[refusal]?.clientMessageId == $0 } ?? false
            if let connection = request.connection, hostile.contains(connection), !isNamed { continue }
            evidence.violate(
                "a valid question was called malformed", expected: "an answer, or a refusal for another reason",
                actual: request.connection == nil
                    ? request.refusalCode ?? "400"
                    : "\(called(error: history.frames[refusal]?.code))\(isNamed ? "" : " that names no question")",
                at: [request.event, refusal])
        }
    }
}

extension Observations {
    /// The `error` with one of the given codes that has no names and can only refer to an unanswered `chat`.
    func nameless(_ codes: Set<String>, after request: ObservedRequest) -> Int? {
        guard let index = request.connection, request.ack == nil, request.refusal == nil else { return nil }
        let error = connections[index].received.first { frame in
            frame.isAfter(request.event) && frame.kind == .error && frame.code.map(codes.contains) == true
                && frame.turnId == nil && frame.clientMessageId == nil
                && !hostileFrames.contains { $0.answer?.event == frame.event }
        }
        guard let error,
            connections[index].sent.before(error.event).last(where: { $0.kind != .ping })?.event == request.event
        else { return nil }
        // An error about the connection precedes its end.
        if error.code == "internal", connections[index].endByServer(after: error.event) != nil { return nil }
        return error.event
    }

    /// Whether a question must not be refused for its form, apart from unknown members.
    fileprivate func isValidQuestion(_ request: ObservedRequest) -> Bool {
        switch request.origin {
        case .connection(let index):
            guard let value = frames[request.event]?.value else { return false }
            return connections[index].isGreeted(before: request.event) && isNoReason("bad_request", to: request)
                && !UnknownMembers.exist(in: value, as: "chat")
        case .exchange(let index):
            guard let text = exchanges[index].sent.body, let document = try? JSONParser.document(text) else {
                return false
            }
            return document.flaws.isEmpty && coreSchemas.accepts(document.root, as: "chatRequest")
                && endsWithUser(document.root) && !UnknownMembers.exist(in: document.root, as: "chatRequest")
        }
    }

    fileprivate func mayBeRefused(_ request: ObservedRequest) -> Bool {
        let earlier = turns.filter {
            $0.isAccepted && $0.isBefore(request.event) && $0.principal == request.principal
        }
        if let session = request.sessionAsked, !earlier.contains(where: { $0.session == session }) { return true }
        if let key = request.clientMessageId, earlier.contains(where: { $0.clientMessageId == key }) { return true }
        guard request.connection == nil, let size = size(of: request) else { return false }
        return size > frameLimits.map(\.bytes).min() ?? subject.limits["maxFrameBytes"] ?? .max
    }
}
