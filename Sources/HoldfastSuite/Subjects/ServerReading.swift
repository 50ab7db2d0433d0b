import Holdfast
import HoldfastReference
import HoldfastSmallFoundation
import HoldfastStage
import HoldfastTransport

/// Builds the subject from the subject file and the flags, which override the file.
extension ServerUnderTest {
    package func subject(under specification: Specification) throws -> (subject: ServerSubject, scope: Scope) {
        var problems: [InputProblem] = []
        problems += outOfRange
        if let reference {
            try problems.throwAll()
            return try referenceSubject(reference, specification)
        }
        for (flag, names) in [("--defect", defects), ("--variation", variations)] where !names.isEmpty {
            problems.note(
                flag, "only works on the reference server", expected: "--reference with it",
                fix: "add --reference, or start 'conformance serve \(flag) \(names[0])'")
        }
        let described = try subjectFile.map { try SubjectFile(file: $0) }
        let folder = subjectFile.map { URL(fileURLWithPath: $0).deletingLastPathComponent().path }
        let spoken =
            if let dialect {
                try specification.dialect(dialect, given: "--dialect")
            } else if let described {
                try specification.dialect(described.dialect, given: "\(subjectFile ?? "") /dialect", in: folder)
            } else {
                Dialect.canonical
            }
        let given = (url ?? described?.url).map(Endpoint.webSocketURL)
        let startCommand = startCommand(
            described?.start, in: folder,
            url: given.map(spoken.address) ?? spoken.address(of: StartCommand.defaultURL),
            http: http ?? described?.http, &problems)
        let webSocket = endpoint(
            startCommand?.url ?? given, given: url == nil ? "--subject" : "url", isSocket: true,
            &problems)
        let base = endpoint(http ?? described?.http, given: "--http", isSocket: false, &problems)
        noteMissingStart(described, &problems)
        if url == nil && described == nil && startCommand == nil && start == nil {
            problems.note(
                "server", "no address",
                expected: "a URL such as ws://127.0.0.1:8080/ws, --start 'COMMAND', or --subject FILE",
                fix: "give the server to test, or use --reference for the built-in one")
        }
        let named = profiles.isEmpty ? described?.profiles : Profile.declared(named: profiles, &problems)
        let declared = named ?? spoken.defaultProfiles()
        problems += spoken.problems(declaring: declared, given: profiles.isEmpty ? "--subject /profiles" : "--profile")
        let known = hasScriptedAgent ? .scripted : modelEndpoint != nil ? .model : described?.agent ?? .plain
        // A start command with the address of the suite's model starts a server that uses it.
        let agent = known == .plain && startCommand?.takesModel == true ? .model : known
        let wanted = tiers.isEmpty ? described?.tiers : Set(tiers)
        problems += Scope.problems(wanted ?? [], agent: agent, given: tiers.isEmpty ? "--subject" : "--tier")
        var people = people(described, in: folder, &problems)
        if people.isEmpty { people = [ServerSubject.Principal(name: "p1")] }
        addDevices(to: &people, described?.push?.devices ?? [:], &problems)
        let tls = TLSOptions(
            authorities: certificateAuthorities, certificate: clientCertificate, key: clientKey,
            acceptsAnyCertificate: acceptsAnyCertificate, &problems)
        let headers = GivenHeaders(
            headers, cookie: cookie, origin: origin, besides: described?.headers ?? [:], &problems)
        if headers.names.contains("authorization"), people.contains(where: { $0.token != nil }) {
            problems.note(
                "--header", "the suite sets 'Authorization' from the tokens", expected: "a header or tokens",
                fix: "remove one of them")
        }
        guard problems.isEmpty, let webSocket else { throw InputProblems(problems) }
        var subject = ServerSubject(
            name: described?.fullName ?? described.map { _ in webSocket.authority } ?? "server", webSocket: webSocket,
            http: base, principals: people, profiles: declared,
            tls: tls)
        subject.headers = headers.fields
        subject.speak(spoken)
        subject.isUndeclared = named == nil
        subject.start = startCommand
        subject.agent = agent
        subject.limits = described?.limits ?? [:]
        if let turn = subject.limits["turnSeconds"] { subject.timeouts.turn = .seconds(turn) }
        return (withLimits(subject), Scope(tiers: wanted, skipsCrashes: skipsCrashes, isStrict: isStrict))
    }

    /// Starts the services that the server needs, runs the body, and stops everything.
    ///
    /// Without declared profiles, those in the greeting count.
    ///
    /// * `stop`: Ends the wait for a server that is not ready yet.
    /// - Throws: `interrupted` if `stop` returned before the server was ready.
    package func withSubject<Result>(
        _ subject: ServerSubject, under specification: Specification, until stop: Stop? = nil,
        _ body: (ServerSubject) async throws -> Result
    ) async throws -> Result {
        var push = try pushSink.map { try ServiceAddress($0, given: "--push-sink", maySecure: true) }
        if pushSpeaksTLS {
            push = push ?? ServiceAddress()
            push?.isSecure = true
        }
        if pushCertificate != nil, push?.isSecure != true {
            throw InputProblem(
                "--push-certificate", "it needs TLS", expected: "--push-tls, or --push-sink host:port,tls",
                fix: "add one of them")
        }
        let model = try modelEndpoint.map { try ServiceAddress($0, given: "--model-endpoint") }
        let topic =
            reference == nil ? try subjectFile.map { try SubjectFile(file: $0) }?.push?.topic : ReferenceSubject.topic
        return try await Services.run(
            for: await subject.withTokens(), push: push, pushCertificate: pushCertificate, pushTopic: topic,
            model: model
        ) { subject in
            let ready: ServerSubject? = try await interruptible(at: stop) { [wait] in
                let subject = subject.start == nil ? await subject.awaited(for: .seconds(wait)) : subject
                let needsGreeting = subject.start == nil ? subject.notReached == nil : subject.isUndeclared
                return needsGreeting ? await subject.greeted(under: specification) : subject
            }
            guard let ready else {
                throw SuiteProblem(.interrupted, "interrupted while waiting for the server; nothing was tested")
            }
            return try await body(ready)
        }
    }

    /// The principals with their tokens, from the flags or else the file.
    private func people(
        _ described: SubjectFile?, in folder: String?, _ problems: inout [InputProblem]
    ) -> [ServerSubject.Principal] {
        typealias Given = (location: String, name: String, token: SubjectFile.Token)
        var given: [Given] = tokens.map { ("--token", "", .given($0)) }
        given += tokenVariables.map { ("--token-env", "", .variable($0)) }
        given += tokenFiles.map { ("--token-file", "", .file($0)) }
        given += tokenCommands.map { ("--token-command", "", .command((try? ShellWords($0).words) ?? [])) }
        for index in given.indices { given[index].name = "p\(index + 1)" }
        let isFromFile = given.isEmpty
        if isFromFile {
            given = (described?.principals ?? []).map { ("--subject /principals \($0.name)", $0.name, $0.token) }
        }
        return given.compactMap { location, name, token in
            if case .command(let words) = token, words.isEmpty {
                problems.note(
                    location, "no program given", expected: "a command line as in a shell",
                    fix: "for example \(location) 'gh auth token'")
                return nil
            }
            do {
                return try token.principal(name, given: location, in: isFromFile ? folder : nil)
            } catch {
                problems += [error as? InputProblem].compactMap(\.self)
                return nil
            }
        }
    }

    private var outOfRange: [InputProblem] {
        [
            InputProblem(
                "--kills", kills, outside: 1...1000,
                fix: "remove it for 20, the smallest number that proves anything"),
            InputProblem("--wait", wait, outside: 0...86_400, fix: "remove it, or give 60"),
            InputProblem("--patience", patience, outside: 0...86_400, fix: "remove it for 20 seconds"),
        ].compactMap(\.self)
    }

    private func withLimits(_ subject: ServerSubject) -> ServerSubject {
        var subject = subject
        subject.kills = kills
        subject.patience = .seconds(patience)
        return subject
    }

    /// Rejects `{port}` in the address of a server that the suite does not start.
    private func noteMissingStart(_ described: SubjectFile?, _ problems: inout [InputProblem]) {
        guard start == nil, described?.start == nil else { return }
        for (location, address) in [
            (url == nil ? "--subject /url" : "url", url ?? described?.url),
            (http == nil ? "--subject /http" : "--http", http ?? described?.http),
        ] where address?.contains("{port}") ?? false {
            problems.note(
                location, "{port} needs a server that the suite starts, and there is no start command",
                expected: "a port number, or --start 'COMMAND'",
                fix: "write the port the server listens on, or add --start 'COMMAND'")
        }
    }

    /// Gives each principal its device, from the flags or else the file.
    private func addDevices(
        to people: inout [ServerSubject.Principal], _ described: [String: String],
        _ problems: inout [InputProblem]
    ) {
        var tokens = described
        for text in devices {
            let name = String(text.prefix { $0 != "=" })
            let token = String(text.dropFirst(name.count + 1))
            if SubjectFile.Principal.isName(name), SubjectFile.isDevice(token) {
                tokens[name] = token
            } else {
                problems.note(
                    "--device", "no principal with a device token",
                    expected: "name=token, \(SubjectFile.expectedDevice)", fix: "for example p1=ab12cd34")
            }
        }
        for (name, token) in tokens.sorted(by: { $0.key < $1.key }) {
            if let index = people.firstIndex(where: { $0.name == name }) {
                people[index].device = token
            } else {
                problems.note(
                    devices.isEmpty ? "--subject /push/devices" : "--device", "no principal is named '\(name)'",
                    expected: people.map(\.name).joined(separator: ", "), fix: "add its token, or correct the name"
                )
            }
        }
    }

    /// The reference server; flags that describe another server conflict with it.
    private func referenceSubject(
        _ program: String, _ specification: Specification
    ) throws -> (subject: ServerSubject, scope: Scope) {
        var problems: [InputProblem] = []
        let others: [(String, Bool)] = [
            ("url", url != nil), ("--http", http != nil), ("--subject", subjectFile != nil),
            ("--token", !tokens.isEmpty), ("--token-env", !tokenVariables.isEmpty),
            ("--token-file", !tokenFiles.isEmpty), ("--token-command", !tokenCommands.isEmpty),
            ("--start", start != nil), ("--data", data != nil),
            ("--env", !environment.isEmpty), ("--ready", ready != nil), ("--device", !devices.isEmpty),
        ]
        for (flag, isGiven) in others where isGiven {
            problems.note(
                flag, "conflicts with --reference", expected: "--reference, or another server",
                fix: "remove one of them")
        }
        for (flag, names, known) in [
            ("--defect", defects, Defect.all.map(\.name)),
            ("--variation", variations, Variation.allCases.map(\.rawValue)),
        ] {
            problems += InputProblem.unknown(
                names, given: flag, among: known, expected: "a name from 'conformance serve --list-defects'",
                otherwise: "correct it")
        }
        let spoken = try dialect.map { try specification.dialect($0, given: "--dialect") } ?? .canonical
        var reference = ReferenceSubject(program: program, defects: defects, variations: variations)
        reference.principalsUnderLoad = principalsUnderLoad
        reference.dialect = spoken
        reference.dialectFile = dialect
        // The reference server keeps only the declared profiles.
        if !profiles.isEmpty { reference.profiles = Profile.declared(named: profiles, &problems) }
        let subject = try reference.subject()
        problems += spoken.problems(declaring: subject.profiles, given: "--profile")
        for defect in defects.compactMap(Defect.named) where defect.need == .load && principalsUnderLoad == nil {
            problems.note(
                "--defect", "'\(defect.name)' shows only under load", expected: "a defect that shows in a suite",
                fix: "use 'conformance load --reference --defect \(defect.name)'")
        }
        problems += Defect.problems(defects, keeping: subject.profiles, configured: false, under: specification)
        problems += Scope.problems(Set(tiers), agent: subject.agent, given: "--tier")
        try problems.throwAll()
        return (
            withLimits(subject),
            Scope(tiers: tiers.isEmpty ? nil : Set(tiers), skipsCrashes: skipsCrashes, isStrict: isStrict)
        )
    }

    private func endpoint(
        _ text: String?, given location: String, isSocket: Bool, _ problems: inout [InputProblem]
    ) -> Endpoint? {
        guard let text else { return nil }
        let schemes = isSocket ? "ws:// or wss://" : "http:// or https://"
        do {
            // The port of a server that the suite starts is not known yet.
            let endpoint = try Endpoint(text.replacing("{port}", with: "1"))
            if endpoint.isWebSocket == isSocket { return endpoint }
            problems.note(
                location, "'\(endpoint.address)' begins with \(endpoint.scheme.rawValue)://",
                expected: "\(schemes), a host and a path", fix: "write it with \(schemes)")
        } catch {
            let isFile = location == "url" && text.hasSuffix(".json")
            problems.note(
                location, error.description, expected: "", fix: isFile ? "did you mean --subject \(text)?" : "")
        }
        return nil
    }
}
