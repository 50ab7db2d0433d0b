import Holdfast
import JSON

extension Defect {
    static let liveIsSilentWhileTurnsRun = Defect(
        "live-is-silent-while-turns-run", .LIVE, 1, "Answers no `ping` while a turn of the principal runs.")
    static let liveForgetsTheNonce = Defect("live-forgets-the-nonce", .LIVE, 2, "Answers `ping` without its `nonce`.")
    static let liveKeepsDeadSockets = Defect(
        "live-keeps-dead-sockets", .LIVE, 3, need: .patience, "Never ends the connection of a peer that fell silent.")
    static let liveEndsIdleSockets = Defect(
        "live-ends-idle-sockets", .LIVE, 4, need: .patience,
        "Takes no WebSocket pong for a sign of life; shows after two heartbeats.")
    static let liveEndsSiblings = Defect(
        "live-ends-siblings", .LIVE, 4, need: .patience,
        "Ends every connection of a principal when one of them fell silent.")
    static let liveStopsAsIfAllWereSaid = Defect(
        "live-stops-as-if-all-were-said", .LIVE, 6, need: .restart, "Closes with 1000 when it is told to stop.")
    static let liveAbandonsTurnsWhenStopping = Defect(
        "live-abandons-turns-when-stopping", .LIVE, 7, need: .restart,
        "Drops running turns when it is told to stop, and knows nothing of them after the next start.")
    static let liveTakesAnyVersion = Defect(
        "live-takes-any-version", .LIVE, 8, "Answers an `auth` of any `protocol` with `connected`.")
    static let liveNamesNoVersions = Defect(
        "live-names-no-versions", .LIVE, 9, "Refuses a version without `supported`.")
    static let liveStatesAnotherVersion = Defect(
        "live-states-another-version", .LIVE, 10, "Says `protocol` 2 in `connected`, whatever was asked for.")
    static let liveEndsForGood = Defect(
        "live-ends-for-good", .LIVE, 11, "Closes with 4001 after a frame of an unknown type.")

    static let live = [
        liveIsSilentWhileTurnsRun, liveForgetsTheNonce, liveKeepsDeadSockets, liveEndsIdleSockets, liveEndsSiblings,
        liveTakesAnyVersion, liveNamesNoVersions, liveStatesAnotherVersion, liveEndsForGood,
        liveStopsAsIfAllWereSaid, liveAbandonsTurnsWhenStopping,
    ]
}

extension Saboteur {
    func rewriteLIVE(_ frame: inout JSONValue, _ type: String?) {
        if has(.liveNamesNoVersions), type == "error" { frame["supported"] = nil }
        if has(.liveStatesAnotherVersion), type == "connected" { frame["protocol"] = 2 }
    }
}
