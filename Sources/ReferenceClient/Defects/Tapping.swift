extension ClientDefect {
    static let tapping = list {
        ClientDefect(
            "client-start-overrules-the-tap", .CLIENT, 29,
            "Loads the newest session at every start, even one by a notification.",
            .after { input, client in
                guard case .launched(.some) = input else { return [] }
                return client.core.collecting { core in
                    core.isUntouched = true
                    _ = core.ask("GET", "/api/sessions", for: .start)
                }
            })
        ClientDefect(
            "client-only-logs-taps", .CLIENT, 29,
            "Comes to the foreground on a tapped notification and stays in its session.",
            .input { input, client in
                if case .pushOpened = input, !client.core.isForeground { .foreground } else { input }
            })
        ClientDefect(
            "client-reads-the-target-only-when-the-view-appears", .CLIENT, 29,
            "Ignores a tapped notification while its chat is on the screen.",
            .input { input, client in
                if case .pushOpened = input, client.core.isForeground { nil } else { input }
            })
        ClientDefect(
            "client-says-nothing-of-unknown-sessions", .CLIENT, 32,
            "Shows no error if the session of a notification is not found.",
            .screen { screen, _ in screen.errors.removeAll { $0.text.hasPrefix("This conversation no longer exists") } }
        )
        ClientDefect(
            "client-says-nothing-of-unread-taps", .CLIENT, 32,
            "Shows no error if the session of a notification cannot be read.",
            .screen { screen, _ in screen.errors.removeAll { $0.text == ScreenError.notLoaded } })
        ClientDefect(
            "client-ignores-pushes-in-the-foreground", .CLIENT, 22,
            "Ignores a notification that arrives in the foreground.",
            .input { input, _ in if case .pushReceived = input { nil } else { input } })
    }
}
