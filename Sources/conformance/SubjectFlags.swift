import ArgumentParser

/// Flags that describe a server to test; every command that meets one has them.
struct SubjectFlags: ParsableArguments {
    @Argument(help: ArgumentHelp("The WebSocket of the server; may be left to the subject file.", valueName: "url"))
    var url: String?

    @Option(
        help: ArgumentHelp("Where its REST paths are; the same host and port unless said otherwise.", valueName: "url"))
    var http: String?

    @Option(help: "The token of a principal; given several times, of p1, p2 and so on.")
    var token: [String] = []

    @Option(help: ArgumentHelp("A profile it declares; may be given several times. Default: core.", valueName: "name"))
    var profile: [String] = []

    @Flag(help: "Its agent obeys scripts in the prompt.")
    var scriptedAgent = false

    @Option(
        help: ArgumentHelp(
            "Only scenarios of this tier: 1 any agent, 2 scripted agent, 3 model endpoint; may be given several times.",
            valueName: "number"))
    var tier: [Int] = []

    @Option(help: ArgumentHelp("A subject file; flags override it.", valueName: "file"))
    var subject: String?

    @Option(
        help: ArgumentHelp(
            "The longest a scenario waits because the server told so: heartbeats, a stated wait, a free budget.",
            valueName: "seconds"))
    var patience = 20

    @Flag(help: "Accept any TLS certificate.")
    var acceptAnyCertificate = false

    /// The flags as one description; they override the subject file.
    var options: SubjectOptions {
        SubjectOptions(
            file: subject, url: url, http: http, tokens: token, profiles: profile, hasScriptedAgent: scriptedAgent,
            tiers: tier, patience: patience, acceptsAnyCertificate: acceptAnyCertificate)
    }

    /// The command that tests this server again, without secrets.
    var rerun: String { (["conformance server"] + words).joined(separator: " ") }

    /// The flags as they were given, without secrets.
    var words: [String] {
        var words: [String] = []
        if let url { words.append(url) }
        if let subject { words.append("--subject \(subject)") }
        if let http { words.append("--http \(http)") }
        words += token.map { _ in "--token …" }
        words += profile.map { "--profile \($0)" }
        if scriptedAgent { words.append("--scripted-agent") }
        words += tier.map { "--tier \($0)" }
        if patience != 20 { words.append("--patience \(patience)") }
        if acceptAnyCertificate { words.append("--accept-any-certificate") }
        return words
    }
}
