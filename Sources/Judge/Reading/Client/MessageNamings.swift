import HoldfastTranscript

/// Which events told a client the id of each message.
struct MessageNamings {
    /// Frames that name it, in the order of `Observations.framesTold`.
    private var frames: [String: [Int]] = [:]
    /// The first read or response that has it.
    private var answers: [String: Int] = [:]
    /// The first response to the question with a key.
    private var responses: [String: Int] = [:]

    init(frames told: [Frame], reads: [ObservedSessionRead], exchanges: [ObservedExchange]) {
        for frame in told {
            if let id = frame.messageId { frames[id, default: []].append(frame.event) }
        }
        for read in reads {
            for id in read.messages.compactMap(\.id) { answers[id] = min(answers[id] ?? .max, read.event) }
        }
        for exchange in exchanges where exchange.isChat {
            guard let response = exchange.response else { continue }
            if let id = exchange.answer?.root.id("messageId") { answers[id] = min(answers[id] ?? .max, response) }
            if let key = exchange.body?.id("clientMessageId") { responses[key] = min(responses[key] ?? .max, response) }
        }
    }

    /// Whether nothing else had told of the message of a frame, before an event.
    func isAlone(_ frame: Frame, before event: Int) -> Bool {
        guard let id = frame.messageId, answers[id] ?? .max >= event else { return false }
        if frame.type == "ack", let key = frame.clientMessageId, responses[key] ?? .max < event { return false }
        return frames[id]?.contains { $0 < event && $0 != frame.event } != true
    }
}
