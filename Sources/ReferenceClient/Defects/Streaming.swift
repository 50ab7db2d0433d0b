import JSON

/// Broken ways to keep a place in the stream.
extension ClientDefect {
    static let syncsOnlyWhenBehind = ClientDefect(
        "client-syncs-only-when-behind", .CLIENT, 16,
        "Asks for missed frames only when its number is above 0 and below the server's.")
    static let takesIncompleteForWhole = ClientDefect(
        "client-takes-incomplete-for-whole", .CLIENT, 17, "Takes every answer to its sync for whole.")
    static let takesAPageForTheWhole = ClientDefect(
        "client-takes-a-page-for-the-whole", .CLIENT, 18, "Does not ask for the next page of a replay.")
    static let movesOverTheGap = ClientDefect(
        "client-moves-over-the-gap", .CLIENT, 27, "Moves its position with live frames while a sync is unanswered.")
    static let mixesEpochAndNumber = ClientDefect(
        "client-mixes-epoch-and-number", .CLIENT, 28,
        "Asks with the epoch of the connection and the number it had before.")
    static let takesTheEpochAlone = ClientDefect(
        "client-takes-the-epoch-alone", .CLIENT, 28,
        "Takes up a new epoch at once, and its number only when it has read.")
    static let staysAtUnknownFrames = ClientDefect(
        "client-stays-at-unknown-frames", .CLIENT, 29, "Does not count numbered frames of types it does not know.")
    static let holdsBackBehindHoles = ClientDefect(
        "client-holds-back-behind-holes", .CLIENT, 30, "Shows a frame only when every number before it has come.")
    static let syncsWithoutAnEpoch = ClientDefect(
        "client-syncs-without-an-epoch", .LIVE, 13, "Sends a sync to a server that told no epoch.")

    static let streaming = [
        syncsOnlyWhenBehind, takesIncompleteForWhole, takesAPageForTheWhole, movesOverTheGap, mixesEpochAndNumber,
        takesTheEpochAlone, staysAtUnknownFrames, holdsBackBehindHoles, syncsWithoutAnEpoch,
    ]
}

extension ClientSaboteur {
    /// Whether the number of a frame of this type moves the position.
    func counts(_ type: String) -> Bool {
        !has(.staysAtUnknownFrames) || ["message", "toolUse", "done", "error"].contains(type)
    }

    /// Where a sync asks from.
    func start(_ held: Position, greeted epoch: String) -> Position {
        has(.mixesEpochAndNumber) ? Position(epoch: epoch, seq: held.seq) : held
    }
}

extension ClientCore {
    /// Whether a frame waits for the numbers before it, for ever.
    mutating func holdsBack(_ frame: JSONValue) -> Bool {
        guard broken(.holdsBackBehindHoles), let seq = frame["seq"]?.intValue else { return false }
        let place = place.gap.map { max($0.asked, $0.ahead) } ?? place.held?.seq ?? 0
        return seq > place + 1
    }

    /// Takes a live number for the position although a hole is open.
    mutating func moveOverTheGap(to seq: Int) {
        guard let epoch = link.epoch else { return }
        place.held = Position(epoch: epoch, seq: max(seq, place.held?.epoch == epoch ? place.held?.seq ?? 0 : 0))
    }
}
