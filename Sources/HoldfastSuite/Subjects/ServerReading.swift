import Holdfast
import Reference
import SmallFoundation
import Stage
import Transport

/// The subject as a file and a description say together; the description overrides the file.
extension ServerUnderTest {
    /// The server to test, and the tiers that are asked for.
    package func subject(under specification: Specification) throws -> (subject: ServerSubject, scope: Scope) {
        if let reference { return try referenceSubject(reference, specification) }
        var problems: [InputProblem] = []
        for (flag, names) in [("--defect", defects), ("--variation", variations)] where !names.isEmpty {
            problems.note(
                flag, "nothing can break a server that is not ours", expected: "--reference beside it",
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
        let startCommand = startCommand(
            described?.start, in: folder,
            url: (url ?? described?.url).map(spoken.address) ?? spoken.address(of: StartCommand.usualURL),
            http: http ?? described?.http, &problems)
        let webSocket = endpoint(
            startCommand?.url ?? url ?? described?.url, given: url == nil ? "--subject" : "url", isSocket: true,
            &problems)
        let base = endpoint(http ?? described?.http, given: "--http", isSocket: false, &problems)
        noteMissingStart(described, &problems)
        if url == nil && described == nil && startCommand == nil && start == nil {
            problems.note(
                "server", "no address",
                expected: "a URL such as ws://127.0.0.1:8080/ws, --start 'COMMAND', or --subject FILE",
                fix: "name the server to test; ./conformance.sh without arguments brings one along")
        }
        let named = profiles.isEmpty ? described?.profiles : Profile.declared(named: profiles, &problems)
        let declared = named ?? spoken.usualProfiles
        problems += spoken.problems(declaring: declared, given: profiles.isEmpty ? "--subject /profiles" : "--profile")
        let told = hasScriptedAgent ? .scripted : modelEndpoint != nil ? .model : described?.agent ?? .plain
        // A command that is given our model's address starts a server that asks it.
        let agent = told == .plain && startCommand?.takesModel == true ? .model : told
        let wanted = tiers.isEmpty ? described?.tiers : Set(tiers)
        problems += Scope.problems(wanted ?? [], agent: agent, given: tiers.isEmpty ? "--subject" : "--tier")
        let given = tokens.enumerated().map { ServerSubject.Principal(name: "p\($0 + 1)", token: $1) }
        let known = described?.principals.map { ServerSubject.Principal(name: $0.name, token: $0.token) } ?? []
        var people = given.isEmpty ? known : given
        if people.isEmpty { people = [ServerSubject.Principal(name: "p1")] }
        name(devicesOf: &people, described?.push?.devices ?? [:], &problems)
        if !(0...86_400).contains(wait) {
            problems.note(
                "--wait", "'\(wait)' seconds", expected: "a number from 0 to 86400", fix: "leave it out, or give 60")
        }
        let tls = tls(&problems)
        let headers = headers.compactMap { header($0, &problems) }
        guard problems.isEmpty, let webSocket else { throw InputProblems(problems) }
        var subject = ServerSubject(
            name: described?.name ?? "server", webSocket: webSocket, http: base, principals: people, profiles: declared,
            tls: tls)
        subject.headers = headers
        subject.speak(spoken)
        subject.isUndeclared = named == nil && spoken.isCanonical
        subject.start = startCommand
        subject.agent = agent
        subject.limits = described?.limits ?? [:]
        if let turn = subject.limits["turnSeconds"] { subject.timeouts.turn = .seconds(turn) }
        return (measured(subject), Scope(tiers: wanted, skipsCrashes: skipsCrashes, isStrict: isStrict))
    }

    /// Starts what the server needs of the suite, lets the body meet it, and ends everything.
    ///
    /// Where nobody said what the server declares, it is taken to declare what its greeting states.
    package func meeting<Result>(
        _ subject: ServerSubject, under specification: Specification, _ body: (ServerSubject) async throws -> Result
    ) async throws -> Result {
        var push = try pushSink.map { try ServiceAddress($0, given: "--push-sink", maySecure: true) }
        if pushSpeaksTLS {
            push = push ?? ServiceAddress()
            push?.isSecure = true
        }
        if pushCertificate != nil, push?.isSecure != true {
            throw InputProblem(
                "--push-certificate", "there is none without TLS", expected: "--push-tls, or --push-sink host:port,tls",
                fix: "add one of them")
        }
        let model = try modelEndpoint.map { try ServiceAddress($0, given: "--model-endpoint") }
        let topic =
            reference == nil ? try subjectFile.map { try SubjectFile(file: $0) }?.push?.topic : ReferenceSubject.topic
        return try await Services.run(
            for: subject, push: push, pushCertificate: pushCertificate, pushTopic: topic, model: model
        ) { subject in
            if subject.start == nil { await awaitStart(of: subject) }
            return try await body(
                subject.isUndeclared ? subject.declaringWhatItStates(under: specification) : subject)
        }
    }

    /// Waits until the server takes connections, as long as it may take; what then keeps it from doing so, others tell.
    private func awaitStart(of subject: ServerSubject) async {
        let end = ContinuousClock.now + .seconds(wait)
        while ContinuousClock.now < end, !Task.isCancelled, (try? await subject.reach()) == nil {
            try? await Task.sleep(for: .milliseconds(200), clock: .continuous)
        }
    }

    private func measured(_ subject: ServerSubject) -> ServerSubject {
        var subject = subject
        subject.kills = kills
        subject.patience = .seconds(max(0, patience))
        return subject
    }

    /// A port that only the suite could know, in the address of a server that it does not start.
    private func noteMissingStart(_ described: SubjectFile?, _ problems: inout [InputProblem]) {
        guard start == nil, described?.start == nil else { return }
        for (place, address) in [
            (url == nil ? "--subject /url" : "url", url ?? described?.url),
            (http == nil ? "--subject /http" : "--http", http ?? described?.http),
        ] where address?.contains("{port}") ?? false {
            problems.note(
                place, "{port} is the port of a server the suite starts, and nothing says how",
                expected: "a port by number, or --start 'COMMAND'",
                fix: "write the port the server listens on, or add --start 'COMMAND'")
        }
    }

    /// Gives each principal its device, as file and description name it.
    private func name(
        devicesOf people: inout [ServerSubject.Principal], _ described: [String: String],
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
                    expected: "name=token, \(SubjectFile.expectedDevice)", fix: "for instance p1=ab12cd34")
            }
        }
        for (name, token) in tokens.sorted(by: { $0.key < $1.key }) {
            if let index = people.firstIndex(where: { $0.name == name }) {
                people[index].device = token
            } else {
                problems.note(
                    devices.isEmpty ? "--subject /push/devices" : "--device", "no principal is named '\(name)'",
                    expected: people.map(\.name).joined(separator: ", "), fix: "give its token too, or correct the name"
                )
            }
        }
    }

    /// The reference server; what describes another one contradicts it.
    private func referenceSubject(
        _ program: String, _ specification: Specification
    ) throws -> (subject: ServerSubject, scope: Scope) {
        var problems: [InputProblem] = []
        let others: [(String, Bool)] = [
            ("url", url != nil), ("--http", http != nil), ("--subject", subjectFile != nil),
            ("--token", !tokens.isEmpty), ("--start", start != nil), ("--data", data != nil),
            ("--env", !environment.isEmpty), ("--ready", ready != nil), ("--device", !devices.isEmpty),
        ]
        for (flag, isGiven) in others where isGiven {
            problems.note(
                flag, "another server is described", expected: "--reference or another server",
                fix: "leave one of them out")
        }
        for (flag, names, known) in [
            ("--defect", defects, Defect.all.map(\.name)), ("--variation", variations, Variation.all.map(\.name)),
        ] {
            problems += InputProblem.unknown(
                names, given: flag, among: known, expected: "a name of 'conformance serve --list-defects'",
                otherwise: "correct it")
        }
        let spoken = try dialect.map { try specification.dialect($0, given: "--dialect") } ?? .canonical
        var reference = ReferenceSubject(program: program, defects: defects, variations: variations)
        reference.dialect = spoken
        reference.dialectFile = dialect
        // It keeps what is declared, and nothing beyond it.
        if !profiles.isEmpty { reference.profiles = Profile.declared(named: profiles, &problems) }
        let subject = try reference.subject()
        problems += spoken.problems(declaring: subject.profiles, given: "--profile")
        problems += Scope.problems(Set(tiers), agent: subject.agent, given: "--tier")
        try problems.throwAll()
        return (
            measured(subject),
            Scope(tiers: tiers.isEmpty ? nil : Set(tiers), skipsCrashes: skipsCrashes, isStrict: isStrict)
        )
    }

    /// How TLS is spoken; files that cannot be read are problems of their own.
    private func tls(_ problems: inout [InputProblem]) -> TLSOptions {
        let files = [
            ("--ca", certificateAuthorities), ("--client-certificate", clientCertificate), ("--client-key", clientKey),
        ]
        for (flag, file) in files {
            guard let file else { continue }
            do {
                guard try !Files.text(of: file).contains("-----BEGIN") else { continue }
                problems.note(
                    flag, "'\(file)' holds no PEM text", expected: "a file in PEM form",
                    fix: "convert it with 'openssl x509 -in FILE -inform der -out FILE.pem'")
            } catch {
                problems += [error as? InputProblem].compactMap(\.self)
            }
        }
        var identity: TLSOptions.Identity?
        switch (clientCertificate, clientKey) {
        case (let certificate?, let key?): identity = .init(certificateFile: certificate, keyFile: key)
        case (nil, nil): break
        default:
            problems.note(
                clientKey == nil ? "--client-certificate" : "--client-key", "one is useless without the other",
                expected: "--client-certificate FILE and --client-key FILE", fix: "give both")
        }
        return TLSOptions(
            acceptAnyCertificate: acceptsAnyCertificate, trustRootsFile: certificateAuthorities, identity: identity)
    }

    /// A header as it was given; its value may be a secret and stands in no message.
    private func header(_ text: String, _ problems: inout [InputProblem]) -> (String, String)? {
        let name = text.prefix { $0 != ":" }
        let value = text.dropFirst(name.count + 1).drop { $0 == " " }
        let isName =
            !name.isEmpty && name.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F && !"()<>@,;\\\"/[]?={}".utf8.contains($0) }
        // Without a colon the whole may be the secret.
        let isNamed = isName && name.endIndex < text.endIndex
        guard isNamed, value.utf8.allSatisfy({ $0 >= 0x20 && $0 != 0x7F || $0 == 0x09 })
        else {
            problems.note(
                "--header", "'\(isNamed ? String(name) : "…")' is no header with a value", expected: "Name: value",
                fix: "for instance --header 'X-Tenant: one'")
            return nil
        }
        return (String(name), String(value))
    }

    private func endpoint(
        _ text: String?, given place: String, isSocket: Bool, _ problems: inout [InputProblem]
    ) -> Endpoint? {
        guard let text else { return nil }
        let schemes = isSocket ? "ws:// or wss://" : "http:// or https://"
        do {
            // The port of a server that the suite starts is not known yet.
            let endpoint = try Endpoint(text.replacing("{port}", with: "1"))
            if endpoint.isWebSocket == isSocket { return endpoint }
            problems.note(
                place, "'\(endpoint.place)' begins with \(endpoint.scheme.rawValue)://",
                expected: "\(schemes), a host and a path", fix: "write it with \(schemes)")
        } catch {
            problems.note(place, error.description, expected: "", fix: "")
        }
        return nil
    }
}
