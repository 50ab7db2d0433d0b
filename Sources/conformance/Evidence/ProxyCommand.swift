import ArgumentParser
import Holdfast
import HoldfastProxy
import HoldfastReport
import HoldfastSmallFoundation
import HoldfastSuite
import HoldfastTranscript
import HoldfastTransport

struct ProxyCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "proxy",
        abstract: "Record, judge and break traffic between client and server.",
        discussion: """
            Forwards WebSocket and REST traffic unchanged: fragments, pings, close codes, resets and refusals arrive as \
            sent. Two exceptions: compression is never negotiated, because it would hide the traffic, and 'Host' names the \
            server. Paths stay the same, so the client only needs another host and port.

            Each violation is printed when it happens, at most three per clause; the summary counts the rest. Events \
            from before the proxy started are never a violation. In all output, the name of their owner (p1, p2, …) \
            replaces credentials.

            Examples:
              conformance proxy --listen :9000 --upstream ws://127.0.0.1:8080 --out n.ndjson
              conformance proxy --listen :9443 --tls --upstream wss://chat.example
              conformance proxy --listen :9000 --upstream ws://127.0.0.1:8080 --role client
              conformance proxy --listen :9000 --upstream ws://h:80 --fault 'cut before done'

            \(Rule.grammar)

            Exit codes: 0 no violations · 1 violation · 2 nothing, or not everything, could be judged · 64 usage · 70 a fault \
            rule matched nothing, or the transcript could not be written
            """
    )

    @Option(
        help: ArgumentHelp("The address clients connect to; port 0 picks a free one.", valueName: "host:port"))
    var listen: String

    @Option(
        help: ArgumentHelp(
            "The URL of the server: ws://, wss://, http:// or https://, host and port.", valueName: "url"))
    var upstream: String

    @Option(
        help: ArgumentHelp("Write the transcript to this new file while recording.", valueName: "file"),
        completion: .file(extensions: ["ndjson"]))
    var out: String?

    @Option(help: "The side to judge: server or client.", completion: .sides)
    var role = "server"

    @Option(
        help: ArgumentHelp(
            "A profile the judged side declares. Repeatable. Default: taken from the greeting, or all of the dialect, "
                + "or client-core.",
            valueName: "name"),
        completion: .words { Profile.allCases.map(\.rawValue) })
    var profile: [String] = []

    @OptionGroup var subject: SubjectOptions

    @Option(help: ArgumentHelp("The name of the judged side in the transcript.", valueName: "text"))
    var name: String?

    @Option(
        help: ArgumentHelp(
            "Apply this fault rule. Repeatable.", valueName: "rule"))
    var fault: [String] = []

    @Flag(help: "Use TLS with clients, with a certificate that openssl makes for this run.")
    var tls = false

    @Option(
        help: ArgumentHelp("Use TLS with clients, with this certificate chain (PEM).", valueName: "file"),
        completion: .file())
    var tlsCert: String?

    @Option(help: ArgumentHelp("The private key of --tls-cert (PEM).", valueName: "file"), completion: .file())
    var tlsKey: String?

    @Option(
        help: ArgumentHelp(
            "With --tls: write the certificate that clients must trust to this file.", valueName: "file"),
        completion: .file())
    var tlsCertificateOut: String?

    @OptionGroup var upstreamTLS: TLSFlags

    @Option(name: .customLong("for"), help: ArgumentHelp("Stop after this time.", valueName: "seconds"))
    var duration: Double?

    @Option(
        help: ArgumentHelp(
            "Stop after this long without traffic, once a client has connected.", valueName: "seconds"))
    var untilIdle: Double?

    @Flag(help: "Do not hide credentials in the transcript and on the console.")
    var showSecrets = false

    @Flag(help: "Print only violations and problems.")
    var quiet = false

    func run() async throws {
        let specification = try Specification(.embedded)
        let options = try self.options(specification)
        let interruptions = Interruptions()
        let console = LiveConsole()
        let proxy = try await Proxy.listening(
            options, under: specification, note: { if !quiet { console.note($0) } },
            notify: { console.notify($0.clause.id, isWithdrawn: $0.isWithdrawn, $0.text) })
        if !quiet {
            let host = options.host.contains(":") ? "[\(options.host)]" : options.host
            let secure = proxy.isSecure ? "s" : ""
            let address = "\(host):\(proxy.port)"
            let file = options.transcript.map { ", transcript in \($0)" } ?? ""
            Console.write(
                "ws\(secure)://\(address)  http\(secure)://\(address)  to \(options.upstream.origin)\(file)\n")
        }
        // The server may become reachable later, so this is only a note.
        if let problem = await options.upstreamProblem() { console.note("--upstream: \(problem)") }
        await withTaskGroup(of: Void.self) { group in
            group.addTask { await interruptions.first() }
            if let duration { group.addTask { try? await Task.sleep(for: .seconds(duration)) } }
            if let untilIdle { group.addTask { await proxy.idle(for: .seconds(untilIdle)) } }
            await group.next()
            group.cancelAll()
        }
        await proxy.stop()
        try console.end()
        let summary = ProxySummary(
            proxy, specification: specification, subject: options.subject, with: console.violations)
        Console.write(summary.text(Console.style, isQuiet: quiet))
        try summary.exit.end()
    }

    // MARK: the command line

    private func options(_ specification: Specification) throws -> Proxy.Options {
        var problems: [InputProblem] = []
        let address = try ServiceAddress(listen, given: "--listen")
        let role = Role(rawValue: self.role)
        if role == nil {
            problems.note(
                "--role", "unknown side '\(self.role)'", expected: "server or client", fix: "choose the side to judge")
        }
        let (described, dialect) = try subject.read(specification)
        if described != nil, role == .client {
            problems.note(
                "--subject", "it describes a server, but the client is judged", expected: "--role server",
                fix: "remove one of them")
        }
        let named = Profile.profiles(named: profile, of: role ?? .server, &problems)
        let declared = profile.isEmpty ? described?.profiles : named
        let rules = Rule.all(fault, &problems)
        for (flag, seconds) in [("--for", duration), ("--until-idle", untilIdle)] {
            if let seconds, !(seconds > 0 && seconds <= 1e8) {
                problems.note(
                    flag, "'\(seconds)' is out of range", expected: "seconds above 0, at most 100000000",
                    fix: "correct it, or remove the flag")
            }
        }
        if (tlsCert == nil) != (tlsKey == nil) {
            problems.note(
                tlsCert == nil ? "--tls-cert" : "--tls-key", "only one of the two is given",
                expected: "--tls-cert FILE and --tls-key FILE", fix: "give both, or --tls for one made for this run")
        }
        if tlsCertificateOut != nil, !tls || tlsCert != nil {
            problems.note(
                "--tls-certificate-out", "no certificate is generated", expected: "--tls without --tls-cert",
                fix: "remove one of them")
        }
        guard problems.isEmpty, let role else { throw InputProblems(problems) }
        let endpoint: Endpoint
        do {
            endpoint = try Endpoint(upstream)
        } catch {
            throw SuiteProblem(.input, "--upstream: \(error)")
        }
        var options = Proxy.Options(
            upstream: endpoint,
            subject: History.Subject(
                name: name ?? described?.fullName ?? role.rawValue, role: role,
                profiles: declared?.union([Profile.base(of: role)]) ?? dialect.defaultProfiles(of: role),
                hasScriptedAgent: false, limits: described?.limits ?? [:]))
        options.isUndeclared = declared == nil && role == .server
        (options.host, options.port) = (address.host, address.port)
        options.upstreamTLS = upstreamTLS.options(&problems)
        try problems.throwAll()
        options.identity = try TLSIdentity(
            certificate: tlsCert, key: tlsKey, madeFor: tls ? address.host : nil, certificateOut: tlsCertificateOut)
        (options.dialect, options.faults) = (dialect, rules)
        (options.transcript, options.showsSecrets) = (out, showSecrets)
        options.startedAt = Date.now.formatted(.iso8601)
        return options
    }
}
