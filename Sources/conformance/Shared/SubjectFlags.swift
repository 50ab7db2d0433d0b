import ArgumentParser
import Holdfast
import HoldfastStage
import HoldfastSuite
import HoldfastTransport

struct SubjectFlags: ParsableArguments {
    @Argument(
        help: ArgumentHelp("The WebSocket URL of the server. Default: the one in the subject file.", valueName: "url"))
    var url: String?

    @Option(
        help: ArgumentHelp("The base URL of its REST API. Default: the same host and port.", valueName: "url"))
    var http: String?

    @Flag(help: "Test the built-in reference server, fully configured.")
    var reference = false

    @Option(
        help: ArgumentHelp(
            "Add this bug to the reference server. Repeatable.", valueName: "name"),
        completion: .serverDefects)
    var defect: [String] = []

    @Option(
        help: ArgumentHelp("Add this legal variation to the reference server. Repeatable.", valueName: "name"),
        completion: .serverVariations)
    var variation: [String] = []

    @Option(help: "The token of a principal: the first is p1's, the next p2's, and so on. Repeatable.")
    var token: [String] = []

    @Option(
        help: ArgumentHelp(
            "An environment variable that holds the token of the next principal. Repeatable.",
            discussion: "Principals are numbered in this order: --token, --token-env, --token-file, --token-command.",
            valueName: "name"))
    var tokenEnv: [String] = []

    @Option(
        help: ArgumentHelp(
            "A file whose first line is the token of the next principal. Repeatable.",
            valueName: "file"), completion: .file())
    var tokenFile: [String] = []

    @Option(
        help: ArgumentHelp(
            "A command that prints the token of the next principal, such as 'gh auth token'. Repeatable.",
            discussion: "Runs again when the token expires: one minute before a JWT expires, otherwise every minute.",
            valueName: "command"))
    var tokenCommand: [String] = []

    @Option(
        help: ArgumentHelp(
            "A profile the server declares, in addition to core. Repeatable. Default: taken from its greeting.",
            valueName: "name"),
        completion: .serverProfiles)
    var profile: [String] = []

    @Option(
        help: ArgumentHelp(
            "The dialect of the server: canonical, a name from 'conformance dialect list', or a dialect file.",
            discussion: "Without --profile: the profiles in its greeting, or else core or all of the dialect.",
            valueName: "name"), completion: .dialects)
    var dialect: String?

    @Flag(help: "The agent of the server follows scripts in the prompt.")
    var scriptedAgent = false

    @Option(
        help: ArgumentHelp(
            "Run only scenarios of this tier: 1 any agent, 2 scripted agent, 3 model endpoint. Repeatable.",
            valueName: "number"), completion: .list(["1", "2", "3"]))
    var tier: [Int] = []

    @Option(
        help: ArgumentHelp(
            "Start the server with this command; quotes work as in a shell. The URL is then optional.",
            discussion: """
                {port} is a free port, {data} a new folder, {push} and {model} the URLs of the suite's push service and \
                model endpoint. The environment variables HOLDFAST_PORT, HOLDFAST_DATA, HOLDFAST_PUSH_URL and \
                HOLDFAST_MODEL_URL hold the same values.
                """,
            valueName: "command"))
    var start: String?

    @Option(
        help: ArgumentHelp(
            "The data folder of the started server: new or empty; kept after the run. Default: a temporary folder.",
            valueName: "dir"), completion: .directory)
    var data: String?

    @Option(
        help: ArgumentHelp("An environment variable for the started server. Repeatable.", valueName: "name=value"))
    var env: [String] = []

    @Option(
        help: ArgumentHelp("Text the started server prints once it accepts connections.", valueName: "text"))
    var ready: String?

    @Option(
        help: ArgumentHelp(
            "Serve a scripted model at this address, for a server that is configured to use it.",
            valueName: "host:port"))
    var modelEndpoint: String?

    @Option(
        help: ArgumentHelp(
            "Serve a push service at this address, for a server that is configured to use it; with ',tls' over TLS.",
            valueName: "host:port"))
    var pushSink: String?

    @Flag(name: .customLong("push-tls"), help: "Serve the push service over TLS: {push} is then an https URL.")
    var pushTLS = false

    @Option(
        help: ArgumentHelp(
            "Write the certificate of the push service to this file before the server starts, so that it can trust it.",
            valueName: "file"), completion: .file())
    var pushCertificate: String?

    @Option(
        name: .customLong("device"),
        help: ArgumentHelp(
            "The device token of a principal, as the server knows it. Repeatable.", valueName: "name=token"))
    var devices: [String] = []

    @Option(
        help: ArgumentHelp(
            "How many times each crash test kills the started server: after done, after ack, and after a REST answer.",
            discussion: "With fewer than 20, a test that loses nothing is inconclusive.", valueName: "number")
    )
    var kills = 20

    @Flag(help: "Skip the scenarios that kill, stop and start the server.")
    var skipCrashes = false

    @Option(
        help: ArgumentHelp("Wait this long for a server that is still starting.", valueName: "seconds"))
    var wait = 0

    @Flag(
        help: ArgumentHelp(
            "Count clauses that are out of reach as untested, which makes the run incomplete.",
            discussion: """
                A scenario that the setup makes impossible has the same effect; one that a legal limit of the server \
                rules out does not.
                """))
    var strict = false

    @Option(
        help: ArgumentHelp("A file that describes the server; flags override it.", valueName: "file"),
        completion: .file(extensions: ["json"]))
    var subject: String?

    @Option(
        help: ArgumentHelp(
            "The longest a scenario waits for heartbeats, a retry delay or the rate limit of the server.",
            valueName: "seconds"))
    var patience = 20

    @OptionGroup var headers: HeaderFlags

    @OptionGroup var tls: TLSFlags

    /// The flags as one description; they override the subject file.
    func server() throws -> ServerUnderTest {
        var server = ServerUnderTest()
        if reference { server.reference = try Tool.program() }
        (server.defects, server.variations, server.subjectFile) = (defect, variation, subject)
        (server.url, server.http, server.start) = (url.map(Endpoint.webSocketURL), http, start)
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

    /// Prints the address of the WebSocket that an HTTP URL stands for.
    static func announceWebSocket(of url: String) {
        let address = Endpoint.webSocketURL(url)
        if address != url { Console.error("using the WebSocket at \(Endpoint.shown(address))") }
    }

    /// Starts the services that the server needs, runs the body, and ends everything.
    func withSubject<Result>(
        _ subject: ServerSubject, under specification: Specification, until stop: Stop? = nil,
        isQuiet: Bool = false, _ body: (ServerSubject) async throws -> Result
    ) async throws -> Result {
        if let url, !isQuiet { Self.announceWebSocket(of: url) }
        let showsWait = Console.showsProgress && !isQuiet
        if !reference, let line = subject.waitLine(for: wait, isTerminal: showsWait) { Console.error(line) }
        return try await server().withSubject(subject, under: specification, until: stop) { subject in
            // A server started elsewhere needs to know the address of the push service, at least its port.
            if pushSink != nil, let sink = subject.pushSink { Console.error("push service listening at \(sink.url)") }
            return try await body(subject)
        }
    }

    /// The command that tests this server again with the given subcommand.
    func rerun(_ subject: ServerSubject, as command: String = "server") throws -> String {
        try server().rerun("\(Tool.command) \(command)", subject)
    }
}

/// Flags for a side that is judged by its traffic.
struct SubjectOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "The dialect of the traffic: a name from 'conformance dialect list', or a dialect file. Default: canonical.",
            valueName: "name|file"), completion: .dialects)
    var dialect: String?

    @Option(
        help: ArgumentHelp(
            "A file with name, profiles, limits and dialect; flags override it.", valueName: "file"),
        completion: .file(extensions: ["json"]))
    var subject: String?

    func read(_ specification: Specification) throws -> (described: SubjectFile?, dialect: Dialect) {
        let described = try subject.map { try SubjectFile(file: $0) }
        let name = dialect ?? described?.dialect
        return (described, try name.map { try specification.dialect($0, given: "--dialect") } ?? .canonical)
    }
}
