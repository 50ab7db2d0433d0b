import HoldfastTranscript

/// Something the server told a client, and by that promised to have stored.
struct StoredPromise {
    let turn: ObservedTurn
    let told: Int
    let life: Int
    /// Whether a response over REST told of it.
    var isResponse = false
    /// What that response called the answer.
    var messageId: String?
}

/// What later reads of its session say of a promise.
struct Fate {
    /// The first read, of those begun after the promise, that lacks what was promised.
    fileprivate(set) var lostAt: Int?
    /// The first read that has it, begun in the same life of the process.
    fileprivate(set) var shownAt: Int?
    /// The first read that has it, begun in a later life.
    fileprivate(set) var keptAt: Int?

    /// Whether a read after a restart has it, and none lacks it.
    var isKept: Bool { keptAt != nil && lostAt == nil }
    /// Whether any read tells of it.
    var isKnown: Bool { lostAt != nil || shownAt != nil || keptAt != nil }
}

extension Observations {
    /// Every answer a frame told of: for each turn its first `done`, also a copy or a replayed one.
    var promisedAnswers: [StoredPromise] {
        turns.compactMap { turn in
            turn.dones.min { $0.event < $1.event }.map {
                StoredPromise(turn: turn, told: $0.event, life: life(of: $0))
            }
        }
    }

    /// Every answer a response over REST told of.
    var respondedAnswers: [StoredPromise] {
        turns.flatMap { turn in
            turn.requests.compactMap { request in
                guard let response = request.success else { return nil }
                let body = body(ofResponse: response)
                return StoredPromise(
                    turn: turn, told: response, life: life(of: request),
                    isResponse: true, messageId: body?.id("messageId"))
            }
        }
    }

    /// Every question an `ack` told of: for each turn its first.
    var promisedQuestions: [StoredPromise] {
        turns.compactMap { turn in
            turn.ack.map { StoredPromise(turn: turn, told: $0.event, life: life(of: $0)) }
        }
    }

    /// What became of promises, each in its place: reads of its session by its principal, begun after it was told.
    ///
    /// A 404 lacks everything; other failures of a read say nothing of what is stored.
    func fates(of promises: [StoredPromise], has: (StoredPlaces, StoredPromise) -> Bool) -> [Fate] {
        var fates = [Fate](repeating: Fate(), count: promises.count)
        var bySession: [OwnName: [Int]] = [:]
        for (index, promise) in promises.enumerated() {
            guard let session = promise.turn.session else { continue }
            bySession[OwnName(session, of: promise.turn.principal), default: []].append(index)
        }
        func note(_ index: Int, _ isThere: Bool, request: Int, response: Int) {
            if !isThere {
                fates[index].lostAt = fates[index].lostAt ?? response
            } else if lives.life(at: request) > promises[index].life {
                fates[index].keptAt = fates[index].keptAt ?? response
            } else {
                fates[index].shownAt = fates[index].shownAt ?? response
            }
        }
        let reads = Dictionary(sessionReads.map { ($0.event, $0) }, uniquingKeysWith: { first, _ in first })
        for exchange in exchanges {
            guard let id = exchange.sessionRead, let principal = exchange.sent.principal,
                let response = exchange.response,
                let concerned = bySession[OwnName(id, of: principal)]
            else { continue }
            let later = concerned.filter { promises[$0].told < exchange.request }
            guard !later.isEmpty else { continue }
            if let read = reads[response] {
                let places = places(in: read)
                for index in later {
                    note(index, has(places, promises[index]), request: exchange.request, response: response)
                }
            } else if exchange.status == 404 {
                for index in later { note(index, false, request: exchange.request, response: response) }
            }
        }
        return fates
    }

    func fates(ofAnswers promises: [StoredPromise]) -> [Fate] {
        fates(of: promises) { places, promise in !places.answers(of: promise.turn, under: promise.messageId).isEmpty }
    }

    func fates(ofQuestions promises: [StoredPromise]) -> [Fate] {
        fates(of: promises) { places, promise in !places.questions(of: promise.turn).isEmpty }
    }
}
