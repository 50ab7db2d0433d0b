import ArgumentParser
import Holdfast
import HoldfastStage
import HoldfastSuite

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
            "Break the reference server in a named way; may be given several times.", valueName: "name"),
        completion: .serverDefects)
    var defect: [String] = []

    @Option(
        help: ArgumentHelp("Let the reference server differ in a legal way.", valueName: "name"),
        completion: .serverVariations)
    var variation: [String] = []

    @Option(help: "The token of a principal; given several times, of p1, p2 and so on.")
    var token: [String] = []

    @Option(
        help: ArgumentHelp(
            "A variable that holds the token of the next principal; may be given several times.",
            discussion: "Principals are counted in this order: --token, --token-env, --token-file, --token-command.",
            valueName: "name"))
    var tokenEnv: [String] = []

    @Option(
        help: ArgumentHelp(
            "A file whose first line is the token of the next principal; may be given several times.",
            valueName: "file"), completion: .file())
    var tokenFile: [String] = []

    @Option(
        help: ArgumentHelp(
            "A command that prints the token of the next principal, such as 'gh auth token'; may be given several times.",
            discussion: "It is asked again when the token expires: a minute before a JWT does, else after a minute.",
            valueName: "command"))
    var tokenCommand: [String] = []

    @Option(
        help: ArgumentHelp(
            "A profile it declares beside core; may be given several times. Default: what its greeting states.",
            valueName: "name"),
        completion: .serverProfiles)
    var profile: [String] = []

    @Option(
        help: ArgumentHelp(
            "The dialect it speaks: canonical, a name of 'conformance dialect list', or the path of a dialect file.",
            discussion: "Unless profiles are named, it is taken to declare all that a server of the dialect can.",
            valueName: "name"), completion: .dialects)
    var dialect: String?

    @Flag(help: "Its agent obeys scripts in the prompt.")
    var scriptedAgent = false

    @Option(
        help: ArgumentHelp(
            "Only scenarios of this tier: 1 any agent, 2 scripted agent, 3 model endpoint; may be given several times.",
            valueName: "number"), completion: .list(["1", "2", "3"]))
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
            valueName: "dir"), completion: .directory)
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
            "Be the push service on this address, over TLS where ',tls' follows: for a server that is configured with it.",
            valueName: "host:port"))
    var pushSink: String?

    @Flag(name: .customLong("push-tls"), help: "Be the push service over TLS: https in {push}.")
    var pushTLS = false

    @Option(
        help: ArgumentHelp(
            "Write the certificate that the server has to trust in the push service to this file, before it is started.",
            valueName: "file"), completion: .file())
    var pushCertificate: String?

    @Option(
        name: .customLong("device"),
        help: ArgumentHelp(
            "The device token the server knows of a principal; may be given several times.", valueName: "name=token"))
    var devices: [String] = []

    @Option(
        help: ArgumentHelp(
            "How often each proof kills the started server: as it says done, as it acknowledges, and as it answers over REST.",
            discussion: "Fewer than 20 prove nothing, and are inconclusive where nothing is lost.", valueName: "number")
    )
    var kills = 20

    @Flag(help: "Leave out the scenarios that kill, stop and start the server.")
    var skipCrashes = false

    @Option(
        help: ArgumentHelp("Wait up to so long for a server that somebody else starts.", valueName: "seconds"))
    var wait = 0

    @Flag(help: "Count clauses that this set-up cannot show as untested: the run is incomplete then.")
    var strict = false

    @Option(
        help: ArgumentHelp("A subject file; flags override it.", valueName: "file"),
        completion: .file(extensions: ["json"]))
    var subject: String?

    @Option(
        help: ArgumentHelp(
            "The longest a scenario waits because the server told so: heartbeats, a stated wait, a free budget.",
            valueName: "seconds"))
    var patience = 20

    @OptionGroup var headers: HeaderFlags

    @OptionGroup var tls: TLSFlags

    /// The flags as one description; they override the subject file.
    func server() throws -> ServerUnderTest {
        var server = ServerUnderTest()
        if reference { server.reference = try Tool.program() }
        (server.defects, server.variations, server.subjectFile) = (defect, variation, subject)
        (server.url, server.http, server.start) = (url, http, start)
        (server.tokens, server.devices, server.profiles, server.dialect) = (token, devices, profile, dialect)
        (server.tokenVariables, server.tokenFiles, server.tokenCommands) = (tokenEnv, tokenFile, tokenCommand)
        (server.hasScriptedAgent, server.modelEndpoint) = (scriptedAgent, modelEndpoint)
        (server.data, server.environment, server.ready, server.kills) = (data, env, ready, kills)
        (server.tiers, server.skipsCrashes, server.patience) = (tier, skipCrashes, patience)
        (server.isStrict, server.wait) = (strict, wait)
        (server.pushSink, server.pushSpeaksTLS, server.pushCertificate) = (pushSink, pushTLS, pushCertificate)
        (server.headers, server.cookie, server.origin) = (headers.header, headers.cookie, headers.origin)
        (server.certificateAuthorities, server.acceptsAnyCertificate) = (tls.ca, tls.acceptAnyCertificate)
        (server.clientCertificate, server.clientKey) = (tls.clientCertificate, tls.clientKey)
        return server
    }

    /// Starts what the server needs of the suite, lets the body meet it, and ends everything.
    func meeting<Result>(
        _ subject: ServerSubject, under specification: Specification, _ body: (ServerSubject) async throws -> Result
    ) async throws -> Result {
        try await server().meeting(subject, under: specification) { subject in
            // A server that somebody else started has to be told where to push, at a free port above all.
            if pushSink != nil, let sink = subject.pushSink { Console.error("pushes are taken at \(sink.url)") }
            return try await body(subject)
        }
    }

    /// The command that tests this server again, without secrets: neither those of the flags nor those of the subject file.
    func rerun(_ subject: ServerSubject) -> String {
        let secrets =
            token + devices.map { String($0.drop { $0 != "=" }.dropFirst()) }
            + subject.principals.flatMap { [$0.token, $0.device].compactMap { $0 } }
        func option(_ name: String, _ value: String?) -> [String] { value.map { ["\(name) \($0)"] } ?? [] }
        func flag(_ name: String, _ isGiven: Bool) -> [String] { isGiven ? [name] : [] }
        // A query may carry a token.
        var words = url.map { [$0.contains("?") ? "'\($0.prefix { $0 != "?" })?…'" : $0] } ?? []
        words += flag("--reference", reference)
        words += defect.map { "--defect \($0)" } + variation.map { "--variation \($0)" }
        words += option("--subject", self.subject) + option("--http", http) + token.map { _ in "--token …" }
        words += tokenEnv.map { "--token-env \(ShellWords.quoted($0))" }
        words += tokenFile.map { "--token-file \(ShellWords.quoted($0))" }
        // What a program is given may be a secret that nobody knows of.
        words += tokenCommand.map { "--token-command '\($0.prefix { !$0.isWhitespace }) …'" }
        words += profile.map { "--profile \($0)" } + option("--dialect", dialect.map(ShellWords.quoted))
        words += flag("--scripted-agent", scriptedAgent) + tier.map { "--tier \($0)" }
        words += option("--patience", patience == 20 ? nil : "\(patience)")
        words += option("--start", start.map { ShellWords.quoted(Self.without(secrets, $0)) })
        words += option("--data", data.map(ShellWords.quoted)) + env.map { "--env \($0.prefix { $0 != "=" })=…" }
        words += option("--ready", ready.map(ShellWords.quoted)) + option("--kills", kills == 20 ? nil : "\(kills)")
        words += option("--push-sink", pushSink) + flag("--push-tls", pushTLS)
        words += option("--push-certificate", pushCertificate.map(ShellWords.quoted))
        words += devices.map { "--device \($0.prefix { $0 != "=" })=…" } + option("--model-endpoint", modelEndpoint)
        words += headers.header.map { "--header '\($0.prefix { $0 != ":" }): …'" }
        words += option("--cookie", headers.cookie.map { _ in "…" }) + option("--origin", headers.origin)
        words += option("--ca", tls.ca.map(ShellWords.quoted))
        words += option("--client-certificate", tls.clientCertificate.map(ShellWords.quoted))
        words += option("--client-key", tls.clientKey.map(ShellWords.quoted))
        words +=
            flag("--skip-crashes", skipCrashes) + flag("--strict", strict)
            + flag("--accept-any-certificate", tls.acceptAnyCertificate)
        return (["\(Tool.command) server"] + words).joined(separator: " ")
    }

    /// A command in which no secret stands; longest first, because one may begin another.
    private static func without(_ secrets: [String], _ text: String) -> String {
        Set(secrets).filter { !$0.isEmpty }.sorted { ($0.count, $0) > ($1.count, $1) }.reduce(text) { text, secret in
            text.replacing(secret, with: "…")
        }
    }
}
