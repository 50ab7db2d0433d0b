import JSON
import Transcript

/// One message of the person, every request that carried it, and everything the client was told of it.
///
/// Requests belong together by their key, else by their text, so that a client that takes a new key or changes the text is
/// seen for what it is. Equal texts in different messages are told apart by the commands that typed them.
struct ClientQuestion: Sendable {
    let text: String
    /// The command to send it; nil when the history does not have it.
    let typed: Int?
    /// The requests that carried it, in order; none when it never reached the stage.
    private(set) var requests: [ObservedRequest] = []
    /// What the client was told, in the order of time.
    var news: [News] = []
    var turnIds: Set<String> = []
    /// The acts by which the person sent it again.
    private(set) var repeats: [Int] = []
    /// Whether another message of the same text makes it unknown which of the two a request carried.
    private(set) var isAmbiguous = false

    /// One thing that told the client something of a message.
    struct News: Sendable, Equatable {
        let event: Int
        var kind: Kind
        /// The connection it came on, as an index into `Observations.connections`; nil over REST.
        var connection: Int?
        var sessionId: String?
        /// The frame, where it is one that the client may have to show.
        var error: ClientError?
        /// Whether it brought the answer, or said that there is one.
        var isAnswer = false

        enum Kind: Sendable, Equatable {
            /// Taken up: an `ack`, or any frame or stored message of it.
            case proof
            /// Ended: by `done`, an `error`, a response, or a history that has its answer.
            case ending
            /// Refused, and not taken up.
            case refusal
        }
    }

    /// An error as the client was told it.
    struct ClientError: Sendable, Equatable {
        let code: String?
        let text: String?
        /// When the message may be sent again, in microseconds from the event.
        let retryAfter: Int?
        /// Whether it names the turn that it ends; without, it may as well refuse.
        let namesTurn: Bool
    }

    /// When it was typed, or first sent.
    var event: Int { typed ?? requests.first?.event ?? 0 }
    private(set) var keys: Set<String> = []
    var key: String? { requests.first?.clientMessageId }
    /// The first thing that told the client that the server has it.
    var proof: Int? { news.first { $0.kind != .refusal }?.event }
    /// The first thing that told the client how it ended.
    var ended: Int? { news.first { $0.kind == .ending }?.event }

    /// Whether the person sent it again between two events.
    func isRepeated(after first: Int, before last: Int) -> Bool { repeats.contains { $0 > first && $0 < last } }

    /// The conversations that the client was told it stands in, before an event.
    func sessions(before event: Int) -> Set<String> {
        Set(news.filter { $0.event < event }.compactMap(\.sessionId))
    }

    /// Every message of the person, in the order of typing; what was sent again under another key is one of its own.
    static func all(in history: Observations) -> [ClientQuestion] {
        var questions: [ClientQuestion] = []
        for (index, event) in history.history.events.enumerated() {
            guard event.lane == .client, case .act("send", let details) = event.kind,
                let text = details.string("text")
            else { continue }
            questions.append(ClientQuestion(text: text, typed: index))
        }
        var places = Places()
        for (index, question) in questions.enumerated() { places.byText[question.text, default: []].append(index) }
        var repeats = history.client.acts("sendAgain")[...]
        for request in ObservedRequest.all(on: history.connections, in: history.exchanges) {
            while let act = repeats.first, act.event < request.event {
                note(act, in: &questions, places)
                repeats.removeFirst()
            }
            take(request, into: &questions, &places)
        }
        for act in repeats { note(act, in: &questions, places) }
        questions.sort { $0.event < $1.event }
        ClientNewsReader(history).tell(&questions)
        return questions
    }

    private init(text: String, typed: Int?) {
        self.text = text
        self.typed = typed
    }

    /// Where messages are found by what they were sent with.
    private struct Places {
        var byText: [String: [Int]] = [:]
        var byKey: [String: [Int]] = [:]
    }

    /// Notes that the person sent a message again, where it was sent before.
    private static func note(_ act: ObservedClient.Act, in questions: inout [ClientQuestion], _ places: Places) {
        let key = act.details.string("clientMessageId")
        if let place = key.flatMap({ places.byKey[$0]?.last }) { questions[place].repeats.append(act.event) }
    }

    private static func take(_ request: ObservedRequest, into questions: inout [ClientQuestion], _ places: inout Places)
    {
        let same = (places.byText[request.prompt] ?? []).filter {
            questions[$0].event < request.event && exactlyEqual(questions[$0].text, request.prompt)
        }
        let known = request.clientMessageId.flatMap { places.byKey[$0] } ?? []
        var place: Int?
        let again = same.last.flatMap { questions[$0].repeats.last }
        if known.isEmpty, let last = same.last, let again, questions[last].requests.allSatisfy({ $0.event < again }) {
            questions.append(ClientQuestion(text: request.prompt, typed: again))
            places.byText[request.prompt, default: []].append(questions.count - 1)
            place = questions.count - 1
        } else if same.count > 1, !known.contains(where: same.contains) {
            // A new key under a text that was typed more than once: the oldest that was not sent yet.
            place = same.first { questions[$0].requests.isEmpty } ?? same.last
            if same.allSatisfy({ !questions[$0].requests.isEmpty }) {
                for index in same { questions[index].isAmbiguous = true }
            }
        } else {
            place = same.last(where: known.contains) ?? same.last ?? known.last
        }
        if place == nil {
            place = questions.count
            questions.append(ClientQuestion(text: request.prompt, typed: nil))
            places.byText[request.prompt, default: []].append(questions.count - 1)
        }
        guard let place else { return }
        questions[place].requests.append(request)
        if let key = request.clientMessageId, questions[place].keys.insert(key).inserted {
            places.byKey[key, default: []].append(place)
        }
    }
}
