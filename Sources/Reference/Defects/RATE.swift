import Holdfast
import HoldfastJSON

extension Defect {
    static let rate = list {
        Defect(
            "rate-forgets-on-reconnect", .RATE, 3, need: .budget,
            "Counts questions separately for each connection and for REST.",
            .input { input, server, next in
                guard let asker = server.asker(in: input) else { return next(input, &server) }
                server.core.rates[asker.principal] = server.notes.windows[asker.account]
                defer { server.notes.windows[asker.account] = server.core.rates[asker.principal] }
                return next(input, &server)
            })
        Defect(
            "rate-hides-the-budget", .RATE, 1, need: .budget, "Does not state `messagesPerMinute` in `connected`.",
            .frames("connected") { frame, _ in
                guard var limits = frame["limits"] else { return }
                limits["messagesPerMinute"] = nil
                frame["limits"] = limits
            })
        Defect(
            "rate-takes-less-than-it-promises", .RATE, 2, need: .budget,
            "Refuses the last question of its budget.",
            .counting { max(1, $0 - 1) })
        Defect(
            "rate-tells-no-limit", .RATE, 3, need: .budget, "Sends `rate_limited` without `limit` and `windowMs`.",
            .omits("limit", "windowMs", from: "error", where: \.isRateLimited))
        Defect(
            "rate-omits-retry-after", .RATE, 3, need: .budget, "Answers 429 without the header `Retry-After`.",
            .answers { answer, _, _ in answer.headers["Retry-After"] = nil })
        Defect(
            "turn-forgets-the-key", .TURN, 14, need: .budget,
            "Sends `rate_limited` without the `clientMessageId` of the question.",
            .omits("clientMessageId", from: "error", where: \.isRateLimited))
        Defect(
            "turn-keeps-what-it-refuses", .TURN, 12, need: .budget,
            "Stores the question it refuses with `rate_limited`.",
            .refused(.rateLimited) { asker, server, _ in
                server.invent(asker.content ?? .null, of: asker.principal)
                return []
            })
        Defect(
            "rate-closes-the-connection", .RATE, 4, need: .budget, "Closes the connection after `rate_limited`.",
            .refused(.rateLimited) { asker, server, _ in
                guard case .socket(let socket) = asker.origin else { return [] }
                return server.collecting { $0.close(socket, code: 1008, reason: "too fast") }
            })
        Defect(
            "rate-tells-too-short-a-wait", .RATE, 5, need: .budget,
            "States half of the actual wait as `retryAfterMs`.",
            .frames("error") { frame, _ in
                if frame.isRateLimited, let wait = frame["retryAfterMs"]?.intValue {
                    frame["retryAfterMs"] = JSONValue(wait / 2)
                }
            })
        Defect(
            "rate-counts-repeats", .RATE, 6, need: .budget,
            "Counts repeats of an accepted question against the budget.",
            .chats { asker, server in
                guard let budget = server.core.rules.messagesPerMinute, server.isRepeat(asker) else { return }
                let window = RateWindow(budget: budget, server.core.rules)
                _ = server.core.rates[asker.principal, default: window].take(at: server.core.now.steady)
            })
        Defect(
            "rate-refuses-repeats", .RATE, 6, need: .budget, "Also refuses repeats once the budget is used up.",
            .input { input, server, next in
                guard let asker = server.asker(in: input), server.isRepeat(asker),
                    var window = server.core.rates[asker.principal], window.take(at: server.core.now.steady) != nil
                else { return next(input, &server) }
                let ledger = server.core.ledger
                server.core.ledger = IdempotencyLedger()
                defer { server.core.ledger = ledger }
                return next(input, &server)
            })
        Defect(
            "rate-forgets-rest", .RATE, 3, need: .budget,
            "Does not count questions over REST.",
            .input { input, server, next in
                guard let asker = server.asker(in: input), asker.isREST else { return next(input, &server) }
                let window = server.core.rates.removeValue(forKey: asker.principal)
                defer { server.core.rates[asker.principal] = window }
                return next(input, &server)
            })
        Defect(
            "rate-shares-budgets-in-a-crowd", .RATE, 2, need: .load,
            "Counts the questions of all principals against one budget while more than 20 are connected.",
            .input { input, server, next in
                guard server.isUnderLoad, let asker = server.asker(in: input) else { return next(input, &server) }
                let own = server.core.rates[asker.principal]
                server.core.rates[asker.principal] = server.notes.windows["crowd"]
                defer {
                    server.notes.windows["crowd"] = server.core.rates[asker.principal]
                    server.core.rates[asker.principal] = own
                }
                return next(input, &server)
            })
        Defect(
            "rate-never-refuses", .RATE, 3, need: .budget, "States a budget and never enforces it.",
            .chats { asker, server in server.core.rates[asker.principal] = nil })
        Defect(
            "rate-is-silent-while-spent", .RATE, 4, need: .budget, "Does not answer `ping` once the budget is used up.",
            .refused(.rateLimited) { asker, server, _ in
                server.notes.marks.insert("spent \(asker.principal)")
                return []
            },
            .sends { frame, sockets, _, server in
                guard frame.type == "pong", let principal = server.principal(sockets) else { return nil }
                return server.notes.marks.contains("spent \(principal)") ? [] : nil
            })
        Defect(
            "turn-names-the-key-before", .TURN, 14, need: .budget,
            "Sends `rate_limited` with the `clientMessageId` of the last accepted question.",
            .effects { effect, _, server in
                if case .store(_, let records) = effect, case .question(let question)? = records.first {
                    server.notes.texts[question.principal] = question.names.key
                }
                guard case .send(let sockets, let outgoing) = effect, outgoing.frame.isRateLimited,
                    let principal = server.principal(sockets)
                else { return nil }
                var frame = outgoing.frame
                frame["clientMessageId"] = server.notes.texts[principal].map(JSONValue.string)
                return [.send(to: sockets, server.outgoing(frame))]
            })
        Defect(
            "turn-runs-what-it-refuses", .TURN, 12, need: .budget,
            "Refuses a question with `rate_limited` and runs it.",
            .refused(.rateLimited) { asker, server, run in
                let window = server.core.rates.removeValue(forKey: asker.principal)
                defer { server.core.rates[asker.principal] = window }
                return run(&server)
            })
        Defect(
            "rate-states-a-date", .RATE, 3, need: .budget, "Writes `Retry-After` as a date.",
            .answers { answer, _, _ in
                if answer.headers["Retry-After"] != nil {
                    answer.headers["Retry-After"] = "Sat, 01 Mar 2031 00:00:00 GMT"
                }
            })
        Defect(
            "rate-grants-half-more", .RATE, 3, need: .budget,
            "Takes half as many questions again as its budget in each window.",
            .counting { $0 + ($0 + 1) / 2 })
        Defect(
            "rate-drops-what-it-refuses", .RATE, 3, need: .budget,
            "Does not answer a question on a connection once the budget is used up.",
            .drops { frame, _ in frame.isRateLimited })
        Defect(
            "rate-drops-requests-it-refuses", .RATE, 3, need: .budget,
            "Does not answer a question over REST once the budget is used up.",
            .answers { answer, _, _ in answer.isWithheld = answer.status == ErrorCode.rateLimited.status })
        Defect(
            "rate-tells-no-wait", .RATE, 3, need: .budget, "Sends `rate_limited` without `retryAfterMs`.",
            .omits("retryAfterMs", from: "error", where: \.isRateLimited))
    }
}

extension JSONValue {
    /// Holds for a frame and for a REST body.
    fileprivate var isRateLimited: Bool { text("code") == ErrorCode.rateLimited.rawValue }
}

extension Fault {
    fileprivate static func counting(_ budget: @escaping @Sendable (_ stated: Int) -> Int) -> Fault {
        .chats { asker, server in
            guard let stated = server.core.rules.messagesPerMinute, server.core.rates[asker.principal] == nil else {
                return
            }
            server.core.rates[asker.principal] = RateWindow(budget: budget(stated), server.core.rules)
        }
    }
}
