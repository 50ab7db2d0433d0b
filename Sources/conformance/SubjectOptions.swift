import Basics
import Foundation
import Holdfast
import Reference
import Stage
import Transport

/// The subject as a file and flags describe it together; flags override the file.
struct SubjectOptions {
    /// Whether the reference server of this program is meant, whatever else describes a server.
    var isReference = false
    /// What is wrong with the reference server, and what it does differently.
    var defects: [String] = []
    var variations: [String] = []
    var file: String?
    var url: String?
    var http: String?
    var tokens: [String] = []
    var devices: [String] = []
    var profiles: [String] = []
    /// The dialect it speaks, by name or path; that of the subject file when nil.
    var dialect: String?
    var hasScriptedAgent = false
    /// Whether its agent asks the model endpoint of the suite.
    var asksOurModel = false
    var start = StartOptions()
    var tiers: [Int] = []
    var skipsCrashes = false
    var patience = 20
    var acceptsAnyCertificate = false

    /// The server to test, and the tiers that are asked for.
    func subject() throws -> (subject: ServerSubject, scope: Scope) {
        if isReference { return try referenceSubject() }
        var problems: [InputProblem] = []
        for (flag, names) in [("--defect", defects), ("--variation", variations)] where !names.isEmpty {
            problems.append(
                InputProblem(
                    place: flag, what: "nothing can break a server that is not ours", expected: "--reference beside it",
                    fix: "add --reference, or start 'conformance serve \(flag) \(names[0])'"))
        }
        let described = try file.map(Tool.subject(in:))
        let folder = file.map { URL(fileURLWithPath: $0).deletingLastPathComponent().path }
        let spoken = try spokenDialect(described, in: folder)
        let startCommand = start.startCommand(
            described?.start, in: folder,
            url: (url ?? described?.url).map(spoken.address) ?? spoken.address(of: StartCommand.usualURL),
            http: http ?? described?.http, &problems)
        let webSocket = endpoint(
            startCommand?.url ?? url ?? described?.url, given: url == nil ? "--subject" : "url", isSocket: true,
            &problems)
        let base = endpoint(http ?? described?.http, given: "--http", isSocket: false, &problems)
        if start.command == nil, described?.start == nil {
            for (place, address) in [
                (url == nil ? "--subject /url" : "url", url ?? described?.url),
                (http == nil ? "--subject /http" : "--http", http ?? described?.http),
            ] where address?.contains("{port}") ?? false {
                problems.append(
                    InputProblem(
                        place: place, what: "{port} is the port of a server the suite starts, and nothing says how",
                        expected: "a port by number, or --start 'COMMAND'",
                        fix: "write the port the server listens on, or add --start 'COMMAND'"))
            }
        }
        if url == nil && described == nil && startCommand == nil && start.command == nil {
            problems.append(
                InputProblem(
                    place: "server", what: "no address",
                    expected: "a URL such as ws://127.0.0.1:8080/ws, --start 'COMMAND', or --subject FILE",
                    fix: "name the server to test; ./conformance.sh without arguments brings one along"))
        }
        let named = profiles.isEmpty ? described?.profiles : Self.declared(named: profiles, &problems)
        let declared = named ?? spoken.usualProfiles
        problems += spoken.problems(declaring: declared, given: profiles.isEmpty ? "--subject /profiles" : "--profile")
        let told = hasScriptedAgent ? .scripted : asksOurModel ? .model : described?.agent ?? .plain
        // A command that is given our model's address starts a server that asks it.
        let agent = told == .plain && startCommand?.takesModel == true ? .model : told
        let wanted = tiers.isEmpty ? described?.tiers : Set(tiers)
        if let wanted, let problem = Scope.problem(wanted, agent: agent, given: tiers.isEmpty ? "--subject" : "--tier")
        {
            problems.append(problem)
        }
        let given = tokens.enumerated().map { ServerSubject.Principal(name: "p\($0 + 1)", token: $1) }
        let known = described?.principals.map { ServerSubject.Principal(name: $0.name, token: $0.token) } ?? []
        var people = given.isEmpty ? known : given
        if people.isEmpty { people = [ServerSubject.Principal(name: "p1")] }
        name(devicesOf: &people, described?.push?.devices ?? [:], &problems)
        guard problems.isEmpty, let webSocket else { throw Tool.refuse(problems) }
        var subject = ServerSubject(
            name: described?.name ?? "server", webSocket: webSocket, http: base, principals: people, profiles: declared,
            tls: TLSOptions(acceptAnyCertificate: acceptsAnyCertificate))
        subject.speak(spoken)
        subject.start = startCommand
        subject.kills = start.kills
        subject.agent = agent
        subject.limits = described?.limits ?? [:]
        subject.patience = .seconds(max(0, patience))
        return (subject, Scope(tiers: wanted, skipsCrashes: skipsCrashes))
    }

    /// The dialect that the flag names, or else the subject file.
    private func spokenDialect(_ described: SubjectFile?, in folder: String?) throws -> Dialect {
        if let dialect { return try Tool.dialect(dialect, given: "--dialect") }
        guard let described else { return .canonical }
        return try Tool.dialect(described.dialect, given: "\(file ?? "") /dialect", in: folder)
    }

    /// Gives each principal its device, as file and flags name it.
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
                problems.append(
                    InputProblem(
                        place: "--device", what: "no principal with a device token",
                        expected: "name=token, \(SubjectFile.expectedDevice)", fix: "for instance p1=ab12cd34"))
            }
        }
        for (name, token) in tokens.sorted(by: { $0.key < $1.key }) {
            if let place = people.firstIndex(where: { $0.name == name }) {
                people[place].device = token
            } else {
                problems.append(
                    InputProblem(
                        place: devices.isEmpty ? "--subject /push/devices" : "--device",
                        what: "no principal is named '\(name)'",
                        expected: people.map(\.name).joined(separator: ", "),
                        fix: "give its token too, or correct the name"))
            }
        }
    }

    /// The app that pushes must be for, where the subject file names it.
    func pushTopic() throws -> String? {
        isReference ? ReferenceSubject.topic : try file.map(Tool.subject(in:))?.push?.topic
    }

    /// The reference server; what describes another one contradicts it.
    private func referenceSubject() throws -> (subject: ServerSubject, scope: Scope) {
        var problems: [InputProblem] = []
        let others: [(String, Bool)] = [
            ("url", url != nil), ("--http", http != nil), ("--subject", file != nil), ("--token", !tokens.isEmpty),
            ("--start", start.command != nil), ("--data", start.data != nil), ("--env", !start.environment.isEmpty),
            ("--ready", start.ready != nil), ("--device", !devices.isEmpty),
        ]
        for (flag, isGiven) in others where isGiven {
            problems.append(
                InputProblem(
                    place: flag, what: "another server is described", expected: "--reference or another server",
                    fix: "leave one of them out"))
        }
        check(defects, among: Defect.all.map(\.name), flag: "--defect", &problems)
        check(variations, among: Variation.all.map(\.name), flag: "--variation", &problems)
        let spoken = try spokenDialect(nil, in: nil)
        var reference = ReferenceSubject(defects: defects, variations: variations)
        reference.dialect = spoken
        reference.dialectFile = dialect
        var subject = try reference.subject()
        if !profiles.isEmpty { subject.profiles = Self.declared(named: profiles, &problems) }
        problems += spoken.problems(declaring: subject.profiles, given: "--profile")
        if let problem = Scope.problem(Set(tiers), agent: subject.agent, given: "--tier") { problems.append(problem) }
        guard problems.isEmpty else { throw Tool.refuse(problems) }
        subject.kills = start.kills
        subject.patience = .seconds(max(0, patience))
        return (subject, Scope(tiers: tiers.isEmpty ? nil : Set(tiers), skipsCrashes: skipsCrashes))
    }

    private func check(_ names: [String], among known: [String], flag: String, _ problems: inout [InputProblem]) {
        for name in names where !known.contains(name) {
            problems.append(
                InputProblem(
                    place: flag, what: "unknown name '\(name)'",
                    expected: "a name of 'conformance serve --list-defects'",
                    fix: nearestName(to: name, among: known).map { "did you mean '\($0)'?" } ?? "correct it"))
        }
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
            problems.append(
                InputProblem(
                    place: place, what: "'\(endpoint.place)' begins with \(endpoint.scheme.rawValue)://",
                    expected: "\(schemes), a host and a path", fix: "write it with \(schemes)"))
        } catch {
            problems.append(InputProblem(place: place, what: error.description, expected: "", fix: ""))
        }
        return nil
    }

    /// What a subject of a side declares by the given names: each profile together with the one it needs.
    static func declared(
        named names: [String], of role: Role = .server, _ problems: inout [InputProblem]
    ) -> Set<Profile> {
        let before = problems.count
        let declared = profiles(named: names, of: role, &problems)
        // An unknown name may be the needed one, mistyped.
        if problems.count == before, let problem = needs(of: declared) { problems.append(problem) }
        return declared
    }

    /// Profiles given by flags without the one they need, as a problem.
    static func needs(of declared: Set<Profile>) -> InputProblem? {
        Profile.problem(declaring: declared, at: "--profile") { missing in
            declared.union(missing).sorted().map { "--profile \($0.rawValue)" }.joined(separator: " ")
        }
    }

    /// The profiles of a side by the given names, which may hold several with commas between.
    static func profiles(
        named names: [String], of role: Role = .server, _ problems: inout [InputProblem]
    ) -> Set<Profile> {
        let known = Profile.all(of: role)
        var declared: Set<Profile> = []
        for name in names.flatMap({ $0.split(separator: ",").map(String.init) }) {
            if let profile = Profile(rawValue: name), known.contains(profile) {
                declared.insert(profile)
                continue
            }
            let names = known.map(\.rawValue).sorted()
            problems.append(
                InputProblem(
                    place: "--profile", what: "unknown profile '\(name)'", expected: names.joined(separator: ", "),
                    fix: nearestName(to: name, among: names).map { "did you mean '\($0)'?" } ?? "name one of these"))
        }
        return declared
    }
}
