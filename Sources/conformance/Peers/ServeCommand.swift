import ArgumentParser
import Holdfast
import HoldfastJSON
import HoldfastMock
import HoldfastPlatform
import HoldfastProxy
import HoldfastReference
import HoldfastReport
import HoldfastSmallFoundation
import HoldfastSuite
import HoldfastTransport

struct ServeCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "serve",
        abstract: "Run a mock server that fails on request.",
        discussion: """
            Its agent echoes each question. Change the answer with --reply, with rules in a file (--replies), or with a \
            script in the question: {"script":[{"tool":"webFetch"},{"wait":300},{"reply":"hello"}]}.

            --control adds a page and an HTTP API, on this machine only, to break the server while it runs: drop \
            connections, go silent, restart, limit the rate, fail, send a push.

            Examples:
              conformance serve                                      keeps nothing
              conformance serve --replies demo --control 9001        a page to break things
              conformance serve --replies my.json --frames verbatim  your own answers
              conformance serve --fault 'cut before done'            one cut; see 'proxy' for rules
              conformance serve --host 0.0.0.0                       for a phone nearby
              conformance serve --data ./data --token p1=secret      keeps data, needs a token
              conformance serve --profile core                       no seq, no replay
              conformance serve --defect sync-claims-complete-after-eviction
              conformance serve --dialect nami                       another wire format
              conformance serve --preset adjutant                    with its known bugs
              conformance serve --list-defects
            """
    )

    @Option(help: "The address to listen on.")
    var host = "127.0.0.1"

    @Option(help: "The port to listen on; 0 picks a free one.")
    var port = 8080

    @Option(help: "The data folder. Default: a temporary one, removed at exit.", completion: .directory)
    var data: String?

    @Option(
        name: .customLong("token"),
        help: ArgumentHelp(
            "The token of a principal: the first is p1's, the next p2's, or NAME=TOKEN. Repeatable.",
            discussion: "{n} in it stands for 1, 2, 3 and so on, as many as --principals says.",
            valueName: "token"))
    var tokens: [String] = []

    @Option(help: "How many principals a --token with {n} stands for.")
    var principals = 1

    @Option(
        help: ArgumentHelp(
            "A profile the server supports. Repeatable. Default: all that the flags allow.", valueName: "name"),
        completion: .serverProfiles)
    var profile: [String] = []

    @Option(help: "How many frames it keeps for replay.")
    var replayFrames = 1000

    @Option(help: "The rate limit: chat messages per minute and principal. Default: no limit.")
    var messagesPerMinute: Int?

    @Option(help: ArgumentHelp("The window of the rate limit.", valueName: "seconds"))
    var rateWindow = 60

    @Option(help: ArgumentHelp("Ping a connection after this long without traffic.", valueName: "seconds"))
    var heartbeat = 30

    @Option(help: ArgumentHelp("Close a new connection that has not sent 'auth' in this time.", valueName: "seconds"))
    var authSeconds = 10

    @Option(help: ArgumentHelp("The push service to notify when no connection received an answer.", valueName: "url"))
    var pushUrl: String?

    @Option(
        name: .customLong("device"),
        help: ArgumentHelp(
            "A principal and its device token. Repeatable.",
            discussion: "{n} in it stands for 1, 2, 3 and so on, as many as there are principals.",
            valueName: "name=token"))
    var devices: [String] = []

    @Option(help: ArgumentHelp("The push topic: the app's bundle id.", valueName: "topic"))
    var topic = "app.example"

    @Option(
        help: ArgumentHelp(
            "Speak this dialect: a name from 'conformance dialect list', or a dialect file.",
            valueName: "name|file"), completion: .dialects)
    var dialect: String?

    @Option(
        help: ArgumentHelp(
            "Imitate a real system: its dialect and its known bugs.", valueName: "name"),
        completion: .words { Preset.all.map(\.name) })
    var preset: String?

    @Option(help: ArgumentHelp("Answer every question with this text.", valueName: "text"))
    var reply: String?

    @Option(
        help: ArgumentHelp(
            "Answer by the rules in this JSON file; 'demo' is built in.", valueName: "file|demo"))
    var replies: String?

    @Option(
        help: ArgumentHelp(
            "Apply a fault rule such as 'cut before done'; see 'conformance proxy --help'. Repeatable.",
            valueName: "rule"))
    var fault: [String] = []

    @Option(
        help: ArgumentHelp("Serve the control page and API on this local port.", valueName: "port"))
    var control: String?

    @Option(
        help: ArgumentHelp(
            "How to print frames: none, brief or verbatim. Default: brief on a terminal.", valueName: "style"))
    var frames: FramePrinter.Style?

    @Option(
        help: ArgumentHelp("Add this bug to the server. Repeatable.", valueName: "name"),
        completion: .serverDefects)
    var defect: [String] = []

    @Option(
        help: ArgumentHelp("Add this legal variation. Repeatable.", valueName: "name"),
        completion: .serverVariations)
    var variation: [String] = []

    @Flag(help: "List the defects, variations and presets, then exit.")
    var listDefects = false

    @Option(
        help: ArgumentHelp("Write a subject file for this server, once it listens.", valueName: "file"),
        completion: .file(extensions: ["json"]))
    var subjectOut: String?

    @Flag(help: "Stop when standard input closes, and ignore Ctrl-C.")
    var endWithInput = false

    @Flag(help: "Log the address and failed writes to standard error.")
    var verbose = false

    func run() async throws {
        if listDefects { return Console.write(Console.style.list(Defect.all, Variation.allCases, Preset.all)) }
        let preset = try Preset.chosen(preset.map { [$0] } ?? [], flag: "--preset", of: "serve").first
        if let preset, let dialect, dialect != preset.name {
            throw InputProblem(
                "--preset", "'\(preset.name)' does not speak '\(dialect)'", expected: "its own dialect",
                fix: "remove --dialect")
        }
        let spoken =
            try (dialect ?? preset?.name).map { try Specification(.embedded).dialect($0, given: "--dialect") }
            ?? .canonical
        let replies = try Replies(reply: reply, file: replies)
        var problems: [InputProblem] = []
        let faults = Rule.all(fault, &problems)
        try problems.throwAll()
        let controlAddress = try control.map { try ServiceAddress(local: $0, given: "--control") }
        let principals = try ReferenceConfiguration.principals(tokens, principals)
        _ = Processes.raiseOpenFiles()
        let folder = try dataFolder()
        defer { if data == nil { try? FileManager.default.removeItem(atPath: folder) } }
        var configuration = ReferenceConfiguration(dataFolder: folder)
        (configuration.host, configuration.port) = (host, port)
        // Unguessable tokens, for as many principals as scenarios run in parallel.
        configuration.principals =
            principals.isEmpty ? (1...16).map { ("p\($0)", UUID().uuidString) } : principals
        let kept = try spoken.kept(
            profile, hasTokens: !tokens.isEmpty, drawsTokens: subjectOut != nil, hasLimit: messagesPerMinute != nil,
            hasDevices: !devices.isEmpty)
        configuration.requiresAuth = kept?.contains(.auth) ?? (!principals.isEmpty || subjectOut != nil)
        if let kept { configuration.keeps.formIntersection(kept) }
        (configuration.dialect, configuration.replies) = (spoken, replies)
        configuration.replayFrames = replayFrames
        if kept?.contains(.rateLimit) ?? true {
            configuration.messagesPerMinute = messagesPerMinute ?? preset?.messagesPerMinute
        }
        configuration.rateWindowSeconds = try positive(rateWindow, "--rate-window", upTo: 60)
        configuration.heartbeatSeconds = try positive(heartbeat, "--heartbeat", upTo: 86_400)
        configuration.authSeconds = try positive(authSeconds, "--auth-seconds", upTo: 10)
        configuration.defects = try Defect.chosen(defect, flag: "--defect", of: "serve").union(preset?.defects ?? [])
        configuration.variations = try Variation.chosen(variation, flag: "--variation", of: "serve")
            .union(preset?.variations ?? [])
        try configuration.take(pushURL: pushUrl, topic: topic, devices: devices)
        configuration.endsProcess = {
            Console.error("a defect ended this process")
            Processes.endNow(1)
        }
        // A suite that starts this server has already checked its defects.
        if spoken.isCanonical, !defect.isEmpty, !endWithInput {
            let profiles = Set(configuration.profiles)
            try Defect.problems(defect, keeping: profiles, configured: true, under: Specification(.embedded)).throwAll()
        }
        if verbose { configuration.log = { Console.error($0) } }

        // A write beyond the limit of a file's size must fail like any other write, not end the process.
        SystemSignal.fileSizeLimit.ignore()
        // Lines on a terminal, nothing in a pipe by default.
        let style = frames ?? (Console.isTerminal ? .brief : .none)
        let printer = FramePrinter(style)
        let isWatched = style != .none || controlAddress != nil || !faults.isEmpty
        let owners = principals.map { ($0.name, $0.token) }
        let record =
            isWatched ? MockRecord(dialect: spoken, faults: faults, owners: owners, notify: { printer.take($0) }) : nil
        let mock = try await start(configuration, record)
        let control: TransportServer?
        do throws(SuiteProblem) {
            control = try await controlAddress?.listening("--control") { (address) async throws(TransportProblem) in
                try await ControlServer.open(mock, host: address.host, port: address.port)
            }
        } catch {
            await mock.stop()
            throw error
        }
        let ends = Interruptions(ignoringInterrupt: endWithInput, endingWithInput: endWithInput)
        if let subjectOut {
            let file = configuration.subjectFile(port: mock.port, dialect: spoken.name(given: dialect))
            try Files.write(file.text(pretty: true) + "\n", to: subjectOut)
        }
        greet(mock, folder, configuration, control)
        let printing = Task { await printer.print() }
        await ends.first()
        await control?.stop(graceful: .zero)
        await mock.stop()
        printer.end()
        await printing.value
        // An unused rule may contain a typo, for example in a session's name.
        for rule in record?.faults.unused ?? [] {
            Console.error("the fault '\(rule.text)' matched nothing")
        }
    }

    private func greet(
        _ mock: MockServer, _ folder: String, _ configuration: ReferenceConfiguration, _ control: TransportServer?
    ) {
        Console.write("\(mock.webSocketURL)  http://\(host):\(mock.port)  data in \(folder)\n")
        if !configuration.dialect.isCanonical { Console.write("dialect: \(configuration.dialect.name)\n") }
        for defect in configuration.defects.sorted(by: { $0.name < $1.name }) {
            Console.write("broken on purpose: \(defect.name) (\(defect.clause)): \(defect.summary)\n")
        }
        if let control { Console.write("control page at \(control.httpURL())\n") }
        guard Console.isTerminal else { return }
        let address = LocalAddresses.reachable(insteadOf: host)
        if address != host {
            Console.write("from another device: ws://\(address):\(mock.port)\(configuration.socketPath)\n")
        }
        if configuration.replies.isEcho, control == nil {
            Console.write(Console.style.dim("the agent echoes questions; try --replies demo and --control 9001") + "\n")
        }
    }

    private func positive(_ number: Int, _ flag: String, upTo limit: Int) throws -> Int {
        try InputProblem.checked(flag, number, within: 1...limit, fix: "correct it, or remove the flag")
    }

    private func start(_ configuration: ReferenceConfiguration, _ record: MockRecord?) async throws -> MockServer {
        do {
            return try await MockServer(configuration, record: record)
        } catch let problem as TransportProblem {
            let isHost = [.cannotListen(.foreignAddress), .cannotListen(.unknownHost)].contains(problem.code)
            throw SuiteProblem(listeningAt: isHost ? "--host" : "--port", problem)
        } catch {
            // A problem with the data folder, which names the folder and the fix.
            throw SuiteProblem(.input, "--data: \(error)")
        }
    }

    private func dataFolder() throws -> String {
        let folder = data ?? "\(FileManager.default.temporaryDirectory.path)/holdfast-\(UUID().uuidString)"
        do {
            try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
            return folder
        } catch {
            throw InputProblem(
                "--data", "cannot create '\(folder)': \(Files.reason(error))", expected: "a writable folder",
                fix: "choose another one")
        }
    }
}
