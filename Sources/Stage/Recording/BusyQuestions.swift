import HoldfastJSON
import HoldfastTranscript

/// The questions of a scenario, and those refused as busy, whose effects must not be awaited (ORDER-2).
struct BusyQuestions {
    /// The session of each question that remains refused; nil if it named none.
    private var refused: [String: String?] = [:]
    private var refusingLanes: Set<Lane> = []
    private var asked: Set<String> = []
    private var keyless = 0
    private var endings: [Lane: Int] = [:]

    private var sessions: [String: String] = [:]
    private var posts: [Lane: String] = [:]
    /// The session of a question that was refused before, by the exchange that repeats it.
    private var refusedBefore: [Lane: String?] = [:]

    /// Reads events, in the order of time.
    init(_ events: [Event] = []) { for event in events { note(event) } }

    mutating func note(_ event: Event) {
        switch event.kind {
        case .text(.toServer, let text):
            let frame = Frame(text)
            if frame.type == "chat" { ask(frame) }
        case .request(let request) where request.method == "POST" && event.lane != .push:
            guard let body = request.body.map({ Frame($0) }) else { return }
            if let key = body.clientMessageId { refusedBefore[event.lane] = refused[key] }
            ask(body)
            posts[event.lane] = body.clientMessageId
        case .act("cut", _):
            // The outcome of this exchange is unknown, so the earlier refusal counts again.
            if let key = posts[event.lane], let session = refusedBefore[event.lane] { refused[key] = session }
        case .response(let response):
            guard let key = posts[event.lane] else { return }
            if response.status == 409, Frame(response.body).code == "busy" {
                refused[key] = .some(sessions[key])
            } else if response.status == 200 {
                refused[key] = nil
            }
        case .text(.fromServer, let text): note(Frame(text), on: event.lane)
        default: break
        }
    }

    private mutating func ask(_ question: Frame) {
        guard let key = question.clientMessageId else {
            keyless += 1
            return
        }
        asked.insert(key)
        sessions[key] = question.sessionId
        // A repeated question may be accepted.
        refused[key] = nil
    }

    private mutating func note(_ frame: Frame, on lane: Lane) {
        switch frame.type {
        case "ack": frame.clientMessageId.map { refused[$0] = nil }
        case "done" where !frame.isDuplicate: endings[lane, default: 0] += 1
        case "error" where frame.code == "busy" && frame.turnId == nil:
            refusingLanes.insert(lane)
            if let key = frame.clientMessageId { refused[key] = .some(sessions[key]) }
        case "error" where frame.turnId != nil && !frame.isDuplicate: endings[lane, default: 0] += 1
        default: break
        }
    }

    func count(in session: String) -> Int { refused.values.count { $0 == session } }

    func isRefused(on lane: Lane) -> Bool { refusingLanes.contains(lane) }

    /// Whether a question remains refused, and each other question has had its ending on a connection.
    func leavesNothingToAwait(on lane: Lane) -> Bool {
        !refused.isEmpty && endings[lane, default: 0] + refused.count >= asked.count + keyless
    }
}
