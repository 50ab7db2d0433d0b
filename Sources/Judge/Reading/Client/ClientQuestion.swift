import HoldfastJSON
import HoldfastTranscript

/// One message of the person, every request that carried it, and all signs of it that the client received.
///
/// Requests belong together if they share a key, else if they share a text, so that a client that takes a new key or
/// changes the text is recognized. The commands that typed them distinguish different messages with equal texts. A
/// client may trim a text or normalize its Unicode before sending it; it is still the same message.
struct ClientQuestion: Sendable, HasEvent {
    let text: String
    private let trimmed: Substring
    /// The command that typed it; nil if the history has none.
    let typed: Int?
    /// The requests that carried it, in order; none if none reached the stage.
    private(set) var requests: [ObservedRequest] = []
    var signs: [Sign] = []
    var turnIds: Set<String> = []
    /// The server's ids for this message, received together with its key.
    var ids: Set<String> = []
    /// The server's ids of other messages of the person, as far as known: received with another key, or before this one
    /// was sent.
    var foreignIds: Set<String> = []
    private(set) var repeats: [Int] = []
    /// Whether another message with the same text makes it unclear which of the two a request carried.
    private(set) var isAmbiguous = false

    /// Something that the client received about the message.
    struct Sign: Sendable, Equatable, HasEvent {
        let event: Int
        let input: Input
        /// The connection on which it arrived, as an index into `Observations.connections`; nil over REST.
        var connection: Int?
        var sessionId: String?
        /// The error, if there is one that the client may have to show.
        var error: ClientError?

        var isAnswer: Bool { input == .done || input == .answer }

        var kind: Kind {
            switch input {
            case .ack, .frame, .question: .proof
            case .done, .failure, .answer, .failed: .ending
            default: .refusal
            }
        }

        enum Kind: Sendable, Equatable {
            /// Accepted: an `ack`, or any frame or stored message of it.
            case proof
            /// Ended: by `done`, an `error`, a response, or a history with its answer.
            case ending
            case refusal
        }

        /// The input of the state table.
        enum Input: String, Sendable, CaseIterable {
            case ack
            case frame = "turn.frame"
            case done = "turn.done"
            case failure = "turn.error"
            case question = "history.question"
            case answer = "history.answer"
            case failed = "history.failed"
            case refusedLater = "refusal.later"
            case refusedBusy = "refusal.busy"
            case refusedForGood = "refusal.good"
            case refusedMismatch = "refusal.mismatch"
            case refusedOtherwise = "refusal.other"

            /// A refusal with a code, or with a status if it has none.
            init(refusal code: String?, status: Int? = nil) {
                self =
                    switch (code, status) {
                    case ("rate_limited"?, _), (nil, 429?): .refusedLater
                    case ("busy"?, _), (nil, 409?): .refusedBusy
                    case ("idempotency_mismatch"?, _), (nil, 422?): .refusedMismatch
                    case ("session_not_found"?, _), (nil, 400?), (nil, 404?), (nil, 413?): .refusedForGood
                    case (let code?, _) where ErrorMeaning.general.contains(code): .refusedForGood
                    default: .refusedOtherwise
                    }
            }
        }
    }

    struct ClientError: Sendable, Equatable {
        let code: String?
        let text: String?
        /// The time after which the message may be resent, in microseconds from the event.
        let retryAfter: Int?
    }

    var event: Int { typed ?? requests.first?.event ?? 0 }
    private(set) var keys: Set<String> = []
    var key: String? { requests.first?.clientMessageId }
    var proof: Int? { signs.first { $0.kind != .refusal }?.event }
    var ended: Int? { signs.first { $0.kind == .ending }?.event }

    /// Whether a sign had ended it before an event; a message that was refused and resent is awaited again.
    func settles(_ sign: Sign, before event: Int) -> Bool {
        guard sign.event < event, sign.kind != .proof else { return false }
        return sign.kind == .ending || !requests.contains { $0.event > sign.event && $0.event < event }
    }

    /// Whether a text equals the message's text, apart from surrounding space.
    func hasText(_ words: String) -> Bool { Self.trimmed(words) == trimmed }

    /// The text without surrounding space, compared by Unicode equivalence.
    static func trimmed(_ words: String) -> Substring {
        guard words.utf8.first.map(isSpace) == true || words.utf8.last.map(isSpace) == true else { return words[...] }
        let tail = words.drop(while: \.isWhitespace)
        return tail.prefix(tail.count - tail.reversed().prefix(while: \.isWhitespace).count)
    }

    /// Whether a byte is a space, or begins or ends a character that may be one.
    private static func isSpace(_ byte: UInt8) -> Bool { byte <= 0x20 || byte >= 0x80 }

    func sessions(before event: Int) -> Set<String> { Set(signs.filter { $0.event < event }.compactMap(\.sessionId)) }

    /// Every message of the person, in the order of typing; one that was resent under another key is a separate one.
    static func reconstructed(in history: Observations) -> [ClientQuestion] {
        var questions: [ClientQuestion] = []
        for (index, event) in history.history.events.enumerated() {
            guard event.lane == .client, case .act("send", let details) = event.kind,
                let text = details.string("text")
            else { continue }
            questions.append(ClientQuestion(text: text, typed: index))
        }
        var lookup = Lookup(history.client)
        for (index, question) in questions.enumerated() { lookup.byText[question.trimmed, default: []].append(index) }
        var repeats = history.client.acts("sendAgain")[...]
        for request in ObservedRequest.all(on: history.connections, in: history.exchanges) {
            while let act = repeats.first, act.event < request.event {
                note(act, in: &questions, lookup)
                repeats.removeFirst()
            }
            take(request, into: &questions, &lookup)
        }
        for act in repeats { note(act, in: &questions, lookup) }
        questions.sort { $0.event < $1.event }
        ClientSignReader(history).addSigns(&questions)
        return questions
    }

    private init(text: String, typed: Int?) {
        self.text = text
        self.typed = typed
        trimmed = Self.trimmed(text)
    }

    private struct Lookup {
        var byText: [Substring: [Int]] = [:]
        var byKey: [String: [Int]] = [:]
        /// The text that a screen first showed with a key.
        let shown: [String: String]
        let firstShown: [String: Range<Int>]

        init(_ client: ObservedClient) {
            firstShown = client.firstShown
            let named = client.states.lazy.flatMap(\.messages).filter { $0.role == "user" && $0.key != nil }
            shown = Dictionary(named.map { ($0.key ?? "", $0.text) }) { first, _ in first }
        }
    }

    private static func note(_ act: ObservedClient.Act, in questions: inout [ClientQuestion], _ lookup: Lookup) {
        let key = act.details.id("clientMessageId")
        // A message that was never sent is identified by the text that the screen shows with its key.
        let alike = key.flatMap { lookup.shown[$0] }.flatMap { lookup.byText[trimmed($0)] } ?? []
        let unsent = alike.last { questions[$0].event < act.event && questions[$0].requests.isEmpty }
        if let index = key.flatMap({ lookup.byKey[$0]?.last }) ?? unsent { questions[index].repeats.append(act.event) }
    }

    private static func take(_ request: ObservedRequest, into questions: inout [ClientQuestion], _ lookup: inout Lookup)
    {
        func alike(_ words: String) -> [Int] {
            (lookup.byText[trimmed(words)] ?? []).filter { questions[$0].event < request.event }
        }
        let key = request.clientMessageId
        let known = key.flatMap { lookup.byKey[$0] } ?? []
        var same = alike(request.prompt)
        // A client that changes the text still shows the typed text under the key with which it sends the new one.
        if same.isEmpty, known.isEmpty, let shown = key.flatMap({ lookup.shown[$0] }) { same = alike(shown) }
        var position: Int?
        let typing = key.flatMap { lookup.firstShown[$0] }
        // The last message that the person resent, unless it was sent since; among equal texts, the one that the screen
        // shows with the key.
        let resend = same.reversed().compactMap { index -> Int? in
            guard let act = questions[index].repeats.last, !questions[index].requests.isEmpty,
                questions[index].requests.allSatisfy({ $0.event < act })
            else { return nil }
            return index == same.last || typing?.contains(act) == true ? act : nil
        }.first
        if known.isEmpty, let resend {
            position = add(ClientQuestion(text: request.prompt, typed: resend), to: &questions, &lookup)
        } else if same.count > 1, !known.contains(where: same.contains) {
            // A new key for a text that was typed more than once: the oldest message that was not sent yet, and only as
            // a last resort one that the screen showed under another key.
            let unsent = same.filter { questions[$0].requests.isEmpty }
            let named = unsent.filter { index in
                lookup.firstShown.contains { other, range in
                    lookup.byKey[other] == nil && range.contains(questions[index].event)
                        && lookup.shown[other].map(trimmed) == questions[index].trimmed
                }
            }
            let ranked = unsent.filter { !named.contains($0) } + named
            position =
                ranked.first { typing?.contains(questions[$0].event) == true }
                ?? ranked.first { exactlyEqual(questions[$0].text, request.prompt) } ?? ranked.first ?? same.last
            if ranked.isEmpty {
                for index in same { questions[index].isAmbiguous = true }
            }
        } else {
            position = same.last(where: known.contains) ?? same.last ?? known.last
        }
        let found = position ?? add(ClientQuestion(text: request.prompt, typed: nil), to: &questions, &lookup)
        questions[found].requests.append(request)
        if let key, questions[found].keys.insert(key).inserted { lookup.byKey[key, default: []].append(found) }
    }

    private static func add(
        _ question: ClientQuestion, to questions: inout [ClientQuestion], _ lookup: inout Lookup
    ) -> Int {
        lookup.byText[question.trimmed, default: []].append(questions.count)
        questions.append(question)
        return questions.count - 1
    }
}
