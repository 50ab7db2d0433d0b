import HoldfastTranscript

/// Something that the server announced to a client, and so promised to have stored.
struct StoredPromise {
    let turn: ObservedTurn
    let told: Int
    let life: Int
    /// Whether it is a question and not an answer.
    var isQuestion = false
    /// Whether a REST response announced it.
    var isResponse = false
    /// The answer's id in that response.
    var messageId: String?
}

/// The fate of a promise in later reads of its session.
struct Fate {
    /// The first read after the promise that lacks it.
    fileprivate(set) var lostAt: Int?
    /// The first read that contains it, in the same life of the process.
    fileprivate(set) var shownAt: Int?
    /// The first read that contains it, in a later life.
    fileprivate(set) var keptAt: Int?

    /// Whether any read decides about it.
    var isKnown: Bool { lostAt != nil || shownAt != nil || keptAt != nil }
}

extension Observations {
    /// Every answer announced by a frame: for each turn its first `done`, even a copy or a replayed one.
    var promisedAnswers: [StoredPromise] {
        turns.compactMap { turn in
            turn.dones.min { $0.event < $1.event }.map {
                StoredPromise(turn: turn, told: $0.event, life: life(of: $0))
            }
        }
    }

    /// Every answer announced by a REST response.
    var respondedAnswers: [StoredPromise] {
        requests.compactMap { turn, request in
            request.success.map { response in
                StoredPromise(
                    turn: turn, told: response, life: life(of: request), isResponse: true,
                    messageId: body(ofResponse: response)?.id("messageId"))
            }
        }
    }

    /// Every question announced by an `ack`: for each turn the first.
    var promisedQuestions: [StoredPromise] {
        turns.compactMap { turn in
            turn.ack.map { StoredPromise(turn: turn, told: $0.event, life: life(of: $0), isQuestion: true) }
        }
    }

    /// The fate of each promise in later reads of its session by its principal.
    ///
    /// A 404 lacks everything; other failed reads decide nothing.
    func fates(of promises: [StoredPromise]) -> [Fate] {
        let reads = Dictionary(grouping: exchanges.filter { $0.response != nil }) { exchange in
            exchange.sessionRead.flatMap { id in exchange.sent.principal.map { OwnName(id, of: $0) } }
        }
        return promises.map { promise in
            var fate = Fate()
            let own = promise.turn.session.map { OwnName($0, of: promise.turn.principal) }
            for exchange in own.flatMap({ reads[$0] }) ?? [] where exchange.request > promise.told {
                let read = read(in: exchange)
                guard read != nil || exchange.status == 404 else { continue }
                if !(read.map { holds($0, promise) } ?? false) {
                    fate.lostAt = fate.lostAt ?? exchange.response
                } else if lives.life(at: exchange.request) > promise.life {
                    fate.keptAt = fate.keptAt ?? exchange.response
                } else {
                    fate.shownAt = fate.shownAt ?? exchange.response
                }
            }
            return fate
        }
    }

    private func holds(_ read: ObservedSessionRead, _ promise: StoredPromise) -> Bool {
        let places = places(in: read)
        return promise.isQuestion
            ? !places.questions(of: promise.turn).isEmpty
            : !places.answers(of: promise.turn, under: promise.messageId).isEmpty
    }
}
