import ArgumentParser
import Stage

/// Flags that describe a server to test; every command that meets one has them.
struct SubjectFlags: ParsableArguments {
    @Argument(help: ArgumentHelp("The WebSocket of the server; may be left to the subject file.", valueName: "url"))
    var url: String?

    @Option(
        help: ArgumentHelp("Where its REST paths are; the same host and port unless said otherwise.", valueName: "url"))
    var http: String?

    @Flag(help: "Start the reference server of this program, fully configured, and meet that.")
    var reference = false

    @Option(
        help: ArgumentHelp(
            "Break the reference server in a named way; may be given several times.", valueName: "name"))
    var defect: [String] = []

    @Option(help: ArgumentHelp("Let the reference server differ in a legal way.", valueName: "name"))
    var variation: [String] = []

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

    @Option(
        help: ArgumentHelp(
            "Start the server with this command, taken apart as a shell does; the url may be left out.",
            discussion: """
                {port} is a free port, {data} a fresh folder, {push} and {model} the addresses of the suite's push \
                service and model endpoint; the same are in HOLDFAST_PORT, HOLDFAST_DATA, HOLDFAST_PUSH_URL and \
                HOLDFAST_MODEL_URL.
                """,
            valueName: "command"))
    var start: String?

    @Option(
        help: ArgumentHelp(
            "Where the started server stores: absent or empty before, kept after; a temporary folder without it.",
            valueName: "dir"))
    var data: String?

    @Option(
        help: ArgumentHelp("A variable for the started server; may be given several times.", valueName: "name=value"))
    var env: [String] = []

    @Option(
        help: ArgumentHelp("What the started server prints once it takes connections.", valueName: "text"))
    var ready: String?

    @Option(
        help: ArgumentHelp(
            "Serve the model that its agent asks on this address, and send scripts: for a server that is configured with it.",
            valueName: "host:port"))
    var modelEndpoint: String?

    @Option(
        help: ArgumentHelp(
            "Be the push service on this address: for a server that is configured with it.", valueName: "host:port"))
    var pushSink: String?

    @Option(
        name: .customLong("device"),
        help: ArgumentHelp(
            "The device token the server knows of a principal; may be given several times.", valueName: "name=token"))
    var devices: [String] = []

    @Option(help: ArgumentHelp("How often a crash proof kills the started server.", valueName: "number"))
    var kills = 20

    @Flag(help: "Leave out the scenarios that kill, stop and start the server.")
    var skipCrashes = false

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
            isReference: reference, defects: defect, variations: variation, file: subject, url: url, http: http,
            tokens: token, devices: devices, profiles: profile,
            hasScriptedAgent: scriptedAgent, asksOurModel: modelEndpoint != nil,
            start: StartOptions(command: start, data: data, environment: env, ready: ready, kills: kills),
            tiers: tier, skipsCrashes: skipCrashes, patience: patience, acceptsAnyCertificate: acceptAnyCertificate)
    }

    /// Starts what the server needs of the suite, lets the body meet it, and ends everything.
    func meeting<Result>(
        _ subject: ServerSubject, _ body: (ServerSubject) async throws -> Result
    ) async throws -> Result {
        let push = try pushSink.map { try Services.Address($0, flag: "--push-sink") }
        let model = try modelEndpoint.map { try Services.Address($0, flag: "--model-endpoint") }
        return try await Services.run(
            for: subject, push: push, pushTopic: options.pushTopic(), model: model, body)
    }

    /// The command that tests this server again, without secrets.
    var rerun: String { (["conformance server"] + words).joined(separator: " ") }

    /// The flags as they were given, without secrets.
    var words: [String] {
        var words: [String] = []
        if let url { words.append(url) }
        if reference { words.append("--reference") }
        words += defect.map { "--defect \($0)" } + variation.map { "--variation \($0)" }
        if let subject { words.append("--subject \(subject)") }
        if let http { words.append("--http \(http)") }
        words += token.map { _ in "--token …" }
        words += profile.map { "--profile \($0)" }
        if scriptedAgent { words.append("--scripted-agent") }
        words += tier.map { "--tier \($0)" }
        if patience != 20 { words.append("--patience \(patience)") }
        if let start { words.append("--start \(ShellWords.quoted(withoutTokens(start)))") }
        if let data { words.append("--data \(ShellWords.quoted(data))") }
        words += env.map { "--env \($0.prefix { $0 != "=" })=…" }
        if let ready { words.append("--ready \(ShellWords.quoted(ready))") }
        if kills != 20 { words.append("--kills \(kills)") }
        if let pushSink { words.append("--push-sink \(pushSink)") }
        words += devices.map { "--device \($0.prefix { $0 != "=" })=…" }
        if let modelEndpoint { words.append("--model-endpoint \(modelEndpoint)") }
        if skipCrashes { words.append("--skip-crashes") }
        if acceptAnyCertificate { words.append("--accept-any-certificate") }
        return words
    }

    /// A command in which the tokens that were given do not stand.
    private func withoutTokens(_ text: String) -> String {
        token.filter { !$0.isEmpty }.reduce(text) { text, token in
            text.replacing(token, with: "…")
        }
    }
}
