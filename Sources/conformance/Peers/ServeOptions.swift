import Holdfast
import HoldfastMock
import HoldfastReference
import HoldfastSmallFoundation
import HoldfastStage
import HoldfastSuite
import HoldfastTransport

// What the reference server speaks, and which system's faults it has.
extension ServeCommand {
    /// The preset that is asked for, which goes with its own dialect alone; nil for none.
    func chosenPreset() throws -> Preset? {
        let chosen = try NamedBehaviours.chosen(
            preset.map { [$0] } ?? [], among: Preset.all, flag: "--preset", of: "serve"
        ).first
        if let chosen, let dialect, dialect != chosen.name {
            throw InputProblem(
                "--preset", "'\(chosen.name)' does not speak '\(dialect)'", expected: "its own dialect",
                fix: "remove --dialect")
        }
        return chosen
    }

    /// How a subject file, which may lie elsewhere, names what the server speaks; nil for the specification's own form.
    func dialectName(_ spoken: Dialect) -> String? {
        guard !spoken.isCanonical, let dialect, dialect != spoken.name else {
            return spoken.isCanonical ? nil : spoken.name
        }
        return URL(fileURLWithPath: dialect).path
    }
}

// What the reference server keeps.
extension ServeCommand {
    /// The profiles that are named, each of them set up and no other; nil when none is, for all that it is set up for.
    func keptProfiles(_ spoken: Dialect) throws -> Set<Profile>? {
        guard !profile.isEmpty else { return nil }
        var problems: [InputProblem] = []
        let kept = Profile.declared(named: profile, &problems)
        problems += spoken.problems(declaring: kept, given: "--profile")
        // A subject file tells tokens that were drawn.
        let hasTokens = !tokens.isEmpty || subjectOut != nil && kept.contains(.auth)
        for (needed, flag, isGiven) in [
            (Profile.auth, "--token", hasTokens), (.rateLimit, "--messages-per-minute", messagesPerMinute != nil),
            (.push, "--device", !devices.isEmpty),
        ] where problems.isEmpty && kept.contains(needed) != isGiven {
            problems.note(
                "--profile",
                isGiven
                    ? "\(flag) enables '\(needed.rawValue)', which is not listed"
                    : "'\(needed.rawValue)' needs \(flag)",
                expected: "--profile \(needed.rawValue) together with \(flag)", fix: "give both or neither")
        }
        try problems.throwAll()
        return kept
    }
}

// What makes the reference server a mock for people who develop a client.
extension ServeCommand {
    /// What the agent says, as flags have it.
    func chosenReplies() throws -> Replies {
        if reply != nil, replies != nil {
            throw InputProblem(
                "--reply", "it conflicts with --replies", expected: "one of the two",
                fix: "put the text into the file: {\"default\": {\"reply\": …}}")
        }
        if let reply { return Replies(always: reply) }
        guard let replies else { return Replies() }
        guard replies == "demo" else { return try Replies(Files.text(of: replies), file: replies) }
        // Those that come along, to try an app with.
        let file = "replies/demo.json"
        return try Replies(SpecificationFiles.embedded.texts[file] ?? "", file: "Spec/\(file)")
    }

    /// Where the control port is to be; nil for none.
    func controlAddress() throws -> ServiceAddress? {
        guard let control else { return nil }
        let address = try ServiceAddress(control.hasPrefix(":") ? "127.0.0.1\(control)" : control, given: "--control")
        guard ["127.0.0.1", "localhost", "::1", "[::1]"].contains(address.host) else {
            throw InputProblem(
                "--control", "'\(address.host)' is not a local address", expected: "127.0.0.1, localhost or [::1]",
                fix: "give only the port; to reach it from elsewhere, forward a port")
        }
        return address
    }

    /// Opens the control port.
    func openControl(_ mock: MockServer, at address: ServiceAddress) async throws(SuiteProblem) -> TransportServer {
        let host = address.host == "[::1]" ? "::1" : address.host
        do {
            return try await ControlServer.open(mock, host: host, port: address.port)
        } catch {
            throw SuiteProblem(listeningAt: "--control", error)
        }
    }

}

// Where the reference server pushes to.
extension ServeCommand {
    /// Names and tokens; a token is never repeated in a message.
    func pairs(
        _ texts: [String], _ flag: String, example: String
    ) throws -> [(name: String, token: String)] {
        try texts.map { text in
            guard let cut = text.firstIndex(of: "="), cut != text.startIndex, text.index(after: cut) != text.endIndex
            else {
                throw InputProblem(flag, "no name and token", expected: "name=token", fix: "for example \(example)")
            }
            return (String(text[..<cut]), String(text[text.index(after: cut)...]))
        }
    }

    /// Who signs in: with a name where one is given, else p1, p2 and so on.
    func signedIn() throws -> [(name: String, token: String)] {
        guard (1...1_000_000).contains(principals) else {
            throw InputProblem(
                "--principals", "'\(principals)' is out of range", expected: "a number from 1 to 1000000",
                fix: "remove it for one principal of each --token")
        }
        let tokens = tokens.flatMap { token in
            token.contains("{n}") ? (1...principals).map { token.replacing("{n}", with: "\($0)") } : [token]
        }
        return try tokens.enumerated().map { index, text in
            guard text.contains("=") else { return ("p\(index + 1)", text) }
            return try pairs([text], "--token", example: "p1=secret")[0]
        }
    }

    /// The push service that the flags describe; nil without one.
    func pushService(for principals: [(name: String, token: String)]) throws -> PushService? {
        let devices = try pairs(devices, "--device", example: "p1=ab12")
        guard let pushUrl else {
            guard devices.isEmpty else {
                throw InputProblem(
                    "--device", "there is no push service", expected: "--push-url with it",
                    fix: "add --push-url, or remove --device")
            }
            return nil
        }
        do {
            _ = try Endpoint(pushUrl)
        } catch {
            throw InputProblem("--push-url", "\(error)", expected: "an http or https URL", fix: "correct it")
        }
        for (name, token) in devices {
            guard principals.contains(where: { $0.name == name }) else {
                throw InputProblem(
                    "--device", "no principal is named '\(name)'",
                    expected: principals.map(\.name).sorted().joined(separator: ", "), fix: "correct the name")
            }
            guard
                token.unicodeScalars.allSatisfy({
                    $0 == "-" || $0.isASCII && ($0.properties.isAlphabetic || $0.properties.numericType != nil)
                })
            else {
                throw InputProblem(
                    "--device", "the token of \(name) has characters other than letters, digits and '-'",
                    expected: "a device token in hexadecimal", fix: "correct it")
            }
        }
        return PushService(url: pushUrl, topic: topic, devices: devices.map { ($0.name, $0.token) })
    }
}
