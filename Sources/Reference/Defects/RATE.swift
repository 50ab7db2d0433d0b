import Holdfast
import JSON

extension Defect {
    static let rateForgetsOnReconnect = Defect(
        "rate-forgets-on-reconnect", .RATE, 1, need: .budget,
        "Counts the questions of each connection, and those over REST, apart.")
    static let rateHidesTheBudget = Defect(
        "rate-hides-the-budget", .RATE, 2, need: .budget, "Does not state `messagesPerMinute` in `connected`.")
    static let rateTakesLessThanItPromises = Defect(
        "rate-takes-less-than-it-promises", .RATE, 3, need: .budget,
        "Refuses the last question of the budget it states.")
    static let rateTellsNoLimit = Defect(
        "rate-tells-no-limit", .RATE, 4, need: .budget, "Sends `rate_limited` without `limit` and `windowMs`.")
    static let rateOmitsRetryAfter = Defect(
        "rate-omits-retry-after", .RATE, 5, need: .budget, "Answers 429 without the header `Retry-After`.")
    static let rateForgetsTheKey = Defect(
        "rate-forgets-the-key", .RATE, 6, need: .budget,
        "Sends `rate_limited` without the `clientMessageId` of the question.")
    static let rateKeepsWhatItRefuses = Defect(
        "rate-keeps-what-it-refuses", .RATE, 7, need: .budget, "Stores the question it refuses with `rate_limited`.")
    static let rateClosesTheConnection = Defect(
        "rate-closes-the-connection", .RATE, 8, need: .budget, "Closes the connection after `rate_limited`.")
    static let rateTellsTooShortAWait = Defect(
        "rate-tells-too-short-a-wait", .RATE, 9, need: .budget,
        "States half of the time that has to pass as `retryAfterMs`.")
    static let rateCountsRepeats = Defect(
        "rate-counts-repeats", .RATE, 10, need: .budget, "Counts repeats of an accepted question against the budget.")

    static let rateForgetsREST = Defect(
        "rate-forgets-rest", .RATE, 1, need: .budget, "Takes any number of questions over REST and counts none of them."
    )
    static let rateNeverRefuses = Defect(
        "rate-never-refuses", .RATE, 4, need: .budget, "States a budget and takes every question beyond it.")
    static let rateIsSilentWhileSpent = Defect(
        "rate-is-silent-while-spent", .RATE, 8, need: .budget, "Answers no `ping` once the budget is spent.")
    static let rateNamesTheKeyBefore = Defect(
        "rate-names-the-key-before", .RATE, 6, need: .budget,
        "Sends `rate_limited` with the `clientMessageId` of the last accepted question.")
    static let rateRunsWhatItRefuses = Defect(
        "rate-runs-what-it-refuses", .RATE, 7, need: .budget, "Refuses a question with `rate_limited` and runs it.")
    static let rateTellsNoWait = Defect(
        "rate-tells-no-wait", .RATE, 4, need: .budget, "Sends `rate_limited` without `retryAfterMs`.")
    static let rateStatesADate = Defect(
        "rate-states-a-date", .RATE, 5, need: .budget, "Writes `Retry-After` as a date.")

    static let rate = [
        rateForgetsOnReconnect, rateHidesTheBudget, rateTakesLessThanItPromises, rateTellsNoLimit,
        rateOmitsRetryAfter, rateForgetsTheKey, rateKeepsWhatItRefuses, rateClosesTheConnection,
        rateTellsTooShortAWait, rateCountsRepeats, rateForgetsREST, rateNeverRefuses, rateIsSilentWhileSpent,
        rateNamesTheKeyBefore, rateRunsWhatItRefuses, rateStatesADate, rateTellsNoWait,
    ]
}

extension Saboteur {
    func rewriteRATE(_ frame: inout JSONValue, _ type: String?) {
        if has(.rateHidesTheBudget), type == "connected", var limits = frame["limits"] {
            limits["messagesPerMinute"] = nil
            frame["limits"] = limits
        }
        guard type == "error", frame["code"]?.stringValue == ErrorCode.rateLimited.rawValue else { return }
        if has(.rateForgetsTheKey) { frame["clientMessageId"] = nil }
        if has(.rateTellsTooShortAWait) {
            frame["retryAfterMs"] = frame["retryAfterMs"]?.intValue.map { JSONValue($0 / 2) }
        }
        if has(.rateTellsNoWait) { frame["retryAfterMs"] = nil }
        if has(.rateTellsNoLimit) {
            frame["limit"] = nil
            frame["windowMs"] = nil
        }
    }

    func budget(_ stated: Int) -> Int { has(.rateTakesLessThanItPromises) ? max(1, stated - 1) : stated }
}

extension ServerCore {
    /// Whose window a question is counted in.
    func account(of principal: String, _ origin: Origin) -> String {
        guard broken(.rateForgetsOnReconnect) else { return principal }
        if case .socket(let socket) = origin { return "\(principal)/\(socket)" }
        return "\(principal)/rest"
    }

    mutating func mishandleExcess(_ chat: ClientMessage.Chat, of principal: String, _ origin: Origin) {
        if broken(.rateKeepsWhatItRefuses) { invent(chat.content, of: principal) }
        if broken(.rateIsSilentWhileSpent) { mischief.spent.insert(principal) }
    }

    /// Whether questions by this road are counted at all.
    func counts(_ origin: Origin) -> Bool {
        if broken(.rateForgetsREST), case .request = origin { return false }
        return true
    }

    /// The key that a refusal names.
    func keyToName(for chat: ClientMessage.Chat, of principal: String) -> String? {
        broken(.rateNamesTheKeyBefore) ? mischief.lastKeys[principal] : chat.key
    }

    mutating func remember(_ chat: ClientMessage.Chat, of principal: String) {
        if broken(.rateNamesTheKeyBefore) { mischief.lastKeys[principal] = chat.key }
    }
}
