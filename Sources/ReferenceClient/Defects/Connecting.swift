import JSON

/// Broken ways to connect.
extension ClientDefect {
    static let trustsItsFlag = ClientDefect(
        "client-trusts-its-flag", .CLIENT, 1,
        "Reconnects on return to the foreground only when it believes it is not connected.")
    static let sendsOnTheOldConnection = ClientDefect(
        "client-sends-on-the-old-connection", .CLIENT, 2,
        "Sends the first question after its return on the connection from before the background.")
    static let reconnectsAtFirstLaunch = ClientDefect(
        "client-reconnects-at-first-launch", .CLIENT, 3,
        "Takes the first word that it is active for a return, and kills the connection it has just made.")
    static let showsConnectedTooSoon = ClientDefect(
        "client-shows-connected-too-soon", .CLIENT, 4, "Shows itself as connected once the socket is open.")
    static let resetsTheCountWhenItConnects = ClientDefect(
        "client-resets-the-count-when-it-connects", .CLIENT, 5,
        "Starts its count of attempts anew with each attempt, so that the wait never grows.")
    static let waitsWithoutJitter = ClientDefect(
        "client-waits-without-jitter", .CLIENT, 6, "Waits the same time before every attempt.")
    static let givesUpAfterTenAttempts = ClientDefect(
        "client-gives-up-after-ten-attempts", .CLIENT, 7, "Does not try again after ten attempts.")
    static let takesEveryCloseForTerminal = ClientDefect(
        "client-takes-every-close-for-terminal", .CLIENT, 7,
        "Does not come back after a close frame, whatever its code.")
    static let ignoresTheNetworksReturn = ClientDefect(
        "client-ignores-the-networks-return", .CLIENT, 8, "Sits out its longest wait when the network is back.")
    static let retriesTerminalCloses = ClientDefect(
        "client-retries-terminal-closes", .CLIENT, 9, "Reconnects after 4001 and 4010 as after any close.")

    static let connecting = [
        trustsItsFlag, sendsOnTheOldConnection, reconnectsAtFirstLaunch, showsConnectedTooSoon,
        resetsTheCountWhenItConnects, waitsWithoutJitter, givesUpAfterTenAttempts, takesEveryCloseForTerminal,
        ignoresTheNetworksReturn, retriesTerminalCloses,
    ]
}
