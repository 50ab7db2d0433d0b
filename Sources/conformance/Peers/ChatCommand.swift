import ArgumentParser
import ClientDriver
import Holdfast
import HoldfastReport
import HoldfastSmallFoundation
import HoldfastSuite
import HoldfastTransport
import ReferenceClient

struct ChatCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "chat",
        abstract: "Run the reference client, interactively or as a driver.",
        usage: "conformance chat [<url>] [<options>]",
        discussion: """
            Interactive: type a line to send it. Commands: /sessions, /open ID, /new, /background, /foreground, /offline, \
            /online, /quit.

            With --driver or --connect, it is a client under test: it follows the driver protocol (chapter 12) and prints \
            nothing.

            Examples:
              conformance serve                                   first, in another terminal
              conformance chat ws://127.0.0.1:8080/ws
              conformance chat wss://chat.example/ws --token "$TOKEN" --data ./chat
              conformance client -- conformance chat --driver     test it with the suite
              conformance chat --connect ws://192.168.1.10:9000/  connect to 'client --listen'
              conformance chat --driver --defect client-trusts-its-flag
              conformance chat --list-defects
            """
    )

    @Argument(help: "The WebSocket URL of the server, ws:// or wss://.")
    var url: String?

    @Option(help: "The token to sign in with.")
    var token: String?

    @Option(help: ArgumentHelp("The environment variable that holds the token.", valueName: "name"))
    var tokenEnv: String?

    @Option(help: ArgumentHelp("The file whose first line is the token.", valueName: "file"), completion: .file())
    var tokenFile: String?

    @Option(help: ArgumentHelp("The command that prints the token, such as 'gh auth token'.", valueName: "command"))
    var tokenCommand: String?

    @Option(
        help: ArgumentHelp("The base URL of its REST API. Default: the same host and port.", valueName: "url"))
    var http: String?

    @Option(
        help: ArgumentHelp("The dialect of the server: a name, or a dialect file.", valueName: "name|file"),
        completion: .dialects)
    var dialect: String?

    @OptionGroup var headers: HeaderFlags

    @OptionGroup var tls: TLSFlags

    @Option(help: "The data folder. Without it, nothing is stored.", completion: .directory)
    var data: String?

    @Flag(help: "Follow the driver protocol on standard input and output.")
    var driver = false

    @Option(help: ArgumentHelp("Follow the driver protocol over a WebSocket to this URL.", valueName: "url"))
    var connect: String?

    @Option(
        help: ArgumentHelp("Add this bug to the client. Repeatable.", valueName: "name"),
        completion: .clientDefects)
    var defect: [String] = []

    @Option(
        help: ArgumentHelp("Add this legal variation. Repeatable.", valueName: "name"),
        completion: .clientVariations)
    var variation: [String] = []

    @Flag(help: "List the defects and variations, then exit.")
    var listDefects = false

    func run() async throws {
        if listDefects { return Console.write(Console.style.list(ClientDefect.all, ClientVariation.allCases)) }
        let defects = try ClientDefect.chosen(defect, flag: "--defect", of: "chat")
        let variations = try ClientVariation.chosen(variation, flag: "--variation", of: "chat")
        guard [driver, connect != nil, url != nil].count(where: { $0 }) == 1 else {
            throw InputProblem(
                "chat",
                [driver, connect != nil, url != nil].contains(true)
                    ? "more than one peer given" : "no server URL given",
                expected: "the URL of a server, or --driver, or --connect with the URL of a runner",
                fix: "for example: conformance chat ws://127.0.0.1:8080/ws")
        }
        let spoken = try dialect.map { try Specification(.embedded).dialect($0, given: "--dialect") } ?? .canonical
        let app = ReferenceApp(
            defects: defects, variations: variations, storingIn: nil, over: NetworkTransport(in: spoken), watcher: nil)
        if driver { return await drive(app) }
        if let connect {
            do { return try await app.obey(connect) } catch { throw SuiteProblem(.unreachable, "\(error)") }
        }
        if let url {
            SubjectFlags.announceWebSocket(of: url)
            try await converse(with: Endpoint.webSocketURL(url), in: spoken, defects, variations)
        }
    }

    private func converse(
        with url: String, in dialect: Dialect, _ defects: Set<ClientDefect>, _ variations: Set<ClientVariation>
    ) async throws {
        let base = try http ?? Self.base(of: url)
        guard let socket = URL(string: url), let rest = URL(string: base) else {
            throw InputProblem(
                "chat", "'\(Endpoint.shown(url))' is not a URL", expected: "a URL such as ws://127.0.0.1:8080/ws",
                fix: "correct it")
        }
        if let data { try? FileManager.default.createDirectory(atPath: data, withIntermediateDirectories: true) }
        var problems: [InputProblem] = []
        let headers = GivenHeaders(
            headers.header, cookie: headers.cookie, origin: headers.origin, besides: [:], &problems
        ).fields
        let tls = tls.options(&problems)
        try problems.throwAll()
        let token = try await credential()
        let screen = ChatScreen { Console.write($0) }
        let network = NetworkTransport(headers: headers, tls: tls, in: dialect)
        let app = ReferenceApp(
            defects: defects, variations: variations, storingIn: data, over: network,
            watcher: { screen.take($0) })
        let launch = Launch(url: socket, http: rest, token: token ?? "", fresh: data == nil)
        try await app.launch(launch)
        let room = ChatRoom(app, over: network, base: base, token: token) { Console.write($0) }
        for await line in StandardInput.lines() {
            guard try await room.carryOut(line) else { break }
        }
        // Do not quit before the last question from a pipe has its answer, or has failed.
        await room.settle { screen.hasConnected }
        try await app.quit()
        guard screen.hasConnected else {
            let location = Endpoint.shown(url)
            // If the network itself fails, report that as the cause.
            do throws(TransportProblem) {
                try await HTTPConnection(to: Endpoint(url).httpBase, tls: tls, timeout: .seconds(5)).cut(.fin)
            } catch {
                throw SuiteProblem(.unreachable, TransportProblem(error.code, at: location).description)
            }
            throw SuiteProblem(
                .unreachable,
                InputProblem(
                    location, "could not connect", expected: "a server that answers 'auth' with 'connected'",
                    fix:
                        "start the server, or correct the address; 'conformance doctor \(ShellWords.quoted(location))' says more"
                ).description)
        }
    }

    private func credential() async throws -> String? {
        try await SubjectFile.Token.only(of: [
            ("--token", token.map { .given($0) }), ("--token-env", tokenEnv.map { .variable($0) }),
            ("--token-file", tokenFile.map { .file($0) }),
            ("--token-command", tokenCommand.map { .command((try? ShellWords($0).words) ?? []) }),
        ])
    }

    /// The base URL of the REST API at the host and port of a WebSocket.
    private static func base(of url: String) throws -> String {
        do {
            return try Endpoint(url).httpBase.origin
        } catch {
            throw InputProblem(
                "chat", "'\(Endpoint.shown(url))' is not a WebSocket URL",
                expected: "a URL such as ws://127.0.0.1:8080/ws", fix: "correct it")
        }
    }
}
