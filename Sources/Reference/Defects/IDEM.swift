import Holdfast
import JSON

extension Defect {
    static let idemRunsRepeatsAgain = Defect(
        "idem-runs-repeats-again", .IDEM, 1, "Runs a repeated question as a new turn.")
    static let idemKeepsRESTApart = Defect(
        "idem-keeps-rest-apart", .IDEM, 1,
        "Knows the keys of WebSocket and REST apart; shows when a repeat changes the road.")
    static let idemStoresRepeatsAgain = Defect(
        "idem-stores-repeats-again", .IDEM, 2, "Stores the question of a repeat a second time, without running it.")
    static let idemRefusesRepeats = Defect(
        "idem-refuses-repeats", .IDEM, 3, "Answers a repeat with an `error`.")
    static let idemSendsNoCopy = Defect(
        "idem-sends-no-copy", .IDEM, 4, "Acknowledges the repeat of a finished turn and sends nothing else.")
    static let idemNumbersCopies = Defect(
        "idem-numbers-copies", .IDEM, 5, "Puts a `seq` on the copy of an ending.")
    static let idemCopiesRunningTurns = Defect(
        "idem-copies-running-turns", .IDEM, 6, "Answers the repeat of a running turn with an empty copy of `done`.")
    static let idemForgetsFailures = Defect(
        "idem-forgets-failures", .IDEM, 7, "Acknowledges the repeat of a failed turn and sends nothing else.")
    static let idemHidesRepeatsOverREST = Defect(
        "idem-hides-repeats-over-rest", .IDEM, 8, "Answers a repeated POST without `duplicate`.")
    static let idemAnswersMismatchesWithTheFirst = Defect(
        "idem-answers-mismatches-with-the-first", .IDEM, 9,
        "Takes a used key with another question for a repeat of the first.")
    static let idemCallsMismatchesConflicts = Defect(
        "idem-calls-mismatches-conflicts", .IDEM, 10, "Answers a mismatch over REST with 409.")
    static let idemKeepsMismatches = Defect(
        "idem-keeps-mismatches", .IDEM, 11, "Refuses a mismatch and stores its question behind the first.")
    static let idemForgetsIdsOnRestart = Defect(
        "idem-forgets-ids-on-restart", .IDEM, 12, need: .restart, "Knows no key from before its start.")
    static let idemBurnsRefusedIds = Defect(
        "idem-burns-refused-ids", .IDEM, 14, "Takes no question under a key that was refused once.")
    static let idemSharesIdsBetweenPrincipals = Defect(
        "idem-shares-ids-between-principals", .IDEM, 15, "Knows one key for all principals; shows with two.")
    static let idemHidesClientIds = Defect(
        "idem-hides-client-ids", .IDEM, 16, "Shows messages in session reads without `clientMessageId`.")

    static let idem = [
        idemRunsRepeatsAgain, idemKeepsRESTApart, idemStoresRepeatsAgain, idemRefusesRepeats, idemSendsNoCopy,
        idemNumbersCopies, idemCopiesRunningTurns, idemForgetsFailures, idemHidesRepeatsOverREST,
        idemAnswersMismatchesWithTheFirst, idemCallsMismatchesConflicts, idemKeepsMismatches,
        idemForgetsIdsOnRestart, idemBurnsRefusedIds, idemSharesIdsBetweenPrincipals, idemHidesClientIds,
    ]
}

extension Saboteur {
    /// Whose keys a question is looked up among.
    func scope(of principal: String, _ origin: Origin) -> String {
        if has(.idemSharesIdsBetweenPrincipals) { return "everybody" }
        if has(.idemKeepsRESTApart), case .request = origin { return principal + "/rest" }
        return principal
    }
}

extension ServerCore {
    mutating func mishandleRepeat(
        _ chat: ClientMessage.Chat, _ entry: IdempotencyLedger.Entry, of principal: String
    ) throws(Refusal) {
        if broken(.idemStoresRepeatsAgain) { mischief.repeatedTurns.insert(entry.turn) }
        if broken(.rateCountsRepeats), let budget = rules.messagesPerMinute {
            _ = rates[principal, default: RateWindow(budget: budget, lengthMs: rules.rateWindowMs)].take(at: now.steady)
        }
        if broken(.idemRefusesRepeats) {
            throw Refusal(.idempotencyMismatch, "this question was asked already", clientMessageId: chat.key)
        }
    }

    mutating func mishandleMismatch(
        _ chat: ClientMessage.Chat, _ entry: IdempotencyLedger.Entry, of principal: String, from origin: Origin
    ) throws(Refusal) {
        if broken(.idemKeepsMismatches) { invent(chat.content, of: principal, in: entry.session) }
        guard broken(.idemCallsMismatchesConflicts), case .request = origin else { return }
        throw Refusal(.idempotencyMismatch, "the key is taken", clientMessageId: chat.key, status: 409)
    }
}
