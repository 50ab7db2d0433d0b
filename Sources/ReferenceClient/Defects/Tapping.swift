/// Broken ways to follow a notification.
extension ClientDefect {
    static let startOverrulesTheTap = ClientDefect(
        "client-start-overrules-the-tap", .CLIENT, 33,
        "Loads the newest session at every start, also at that by a notification.")
    static let onlyLogsTaps = ClientDefect(
        "client-only-logs-taps", .CLIENT, 34, "Comes to the foreground by a notification and stays where it was.")
    static let readsTheTargetOnlyWhenTheViewAppears = ClientDefect(
        "client-reads-the-target-only-when-the-view-appears", .CLIENT, 35,
        "Does nothing about a tapped notification while its chat is on the screen.")
    static let saysNothingOfUnknownSessions = ClientDefect(
        "client-says-nothing-of-unknown-sessions", .CLIENT, 36,
        "Shows no error when the session of a notification is not found.")
    static let ignoresPushesInTheForeground = ClientDefect(
        "client-ignores-pushes-in-the-foreground", .CLIENT, 37,
        "Does nothing about a notification that arrives in the foreground.")

    static let tapping = [
        startOverrulesTheTap, onlyLogsTaps, readsTheTargetOnlyWhenTheViewAppears, saysNothingOfUnknownSessions,
        ignoresPushesInTheForeground,
    ]
}
