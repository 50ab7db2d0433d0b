import Holdfast
import HoldfastReference
import HoldfastSmallFoundation
import HoldfastTransport

// Flags of the reference server.

extension Dialect {
    /// The name or absolute path of this dialect for a subject file in any folder; nil for the canonical form.
    package func name(given text: String?) -> String? {
        guard !isCanonical, let text, text != name else { return isCanonical ? nil : name }
        return URL(fileURLWithPath: text).path
    }

    /// The given profiles, each of which must be configured; nil if none is given, which means all that are configured.
    package func kept(
        _ named: [String], hasTokens: Bool, drawsTokens: Bool, hasLimit: Bool, hasDevices: Bool
    ) throws -> Set<Profile>? {
        guard !named.isEmpty else { return nil }
        var problems: [InputProblem] = []
        let kept = Profile.declared(named: named, &problems)
        problems += self.problems(declaring: kept, given: "--profile")
        for (needed, flag, isGiven) in [
            (Profile.auth, "--token", hasTokens || drawsTokens && kept.contains(.auth)),
            (.rateLimit, "--messages-per-minute", hasLimit), (.push, "--device", hasDevices),
        ] where problems.isEmpty && kept.contains(needed) != isGiven {
            problems.note(
                "--profile",
                isGiven
                    ? "\(flag) enables '\(needed.rawValue)', which is not listed"
                    : "'\(needed.rawValue)' needs \(flag)",
                expected: "--profile \(needed.rawValue) together with \(flag)", fix: "give both or neither")
        }
        try problems.throwAll()
        return kept
    }
}

extension Defect {
    /// A problem for each defect that cannot show because the server lacks a profile.
    ///
    /// * `configured`: Whether auth, rate-limit and push need flags of their own, as with `serve`.
    package static func problems(
        _ names: [String], keeping kept: Set<Profile>, configured: Bool, under specification: Specification
    ) -> [InputProblem] {
        names.compactMap { name in
            guard let defect = named(name) else { return nil }
            let own = specification.clauses.filter { $0.id == defect.clause }.map(\.profile)
            let missing = defect.profiles.union(own).subtracting(kept).sorted().map(\.rawValue)
            guard !missing.isEmpty else { return nil }
            let flags = ["auth": "--token", "rate-limit": "--messages-per-minute", "push": "--push-url and --device"]
            return InputProblem(
                "--defect", "'\(name)' does not show on a server without \(missing.joined(separator: " and "))",
                expected: "a server that keeps the profiles of its defects",
                fix: "remove --profile, or add "
                    + missing.map { "--profile \($0)" + (configured ? flags[$0].map { " and \($0)" } ?? "" : "") }
                    .joined(separator: ", "))
        }
    }
}

extension Replies {
    /// The answers of the agent: one text, or the rules in a file, of which `demo` is built in; by default an echo.
    package init(reply: String?, file: String?) throws {
        if reply != nil, file != nil {
            throw InputProblem(
                "--reply", "it conflicts with --replies", expected: "one of the two",
                fix: "put the text into the file: {\"default\": {\"reply\": …}}")
        }
        let demo = "replies/demo.json"
        switch (reply, file) {
        case (let reply?, _): self.init(always: reply)
        case (_, "demo"): try self.init(SpecificationFiles.embedded.texts[demo] ?? "", file: "Spec/\(demo)")
        case (_, let file?): try self.init(Files.text(of: file), file: file)
        default: self.init()
        }
    }
}

extension ServiceAddress {
    /// An address that is reachable only from this machine.
    package init(local text: String, given option: String) throws(InputProblem) {
        try self.init(text, given: option)
        if host == "[::1]" { host = "::1" }
        guard ["127.0.0.1", "localhost", "::1"].contains(host) else {
            throw InputProblem(
                option, "'\(host)' is not a local address", expected: "127.0.0.1, localhost or [::1]",
                fix: "give only the port; to reach it from elsewhere, forward a port")
        }
    }
}

extension ReferenceConfiguration {
    /// A name and a token; a message never contains the token.
    private static func pair(_ text: String, _ flag: String, example: String) throws -> (name: String, token: String) {
        guard let cut = text.firstIndex(of: "="), cut != text.startIndex, text.index(after: cut) != text.endIndex
        else { throw InputProblem(flag, "no name and token", expected: "name=token", fix: "for example \(example)") }
        return (String(text[..<cut]), String(text[text.index(after: cut)...]))
    }

    /// The principals, with the given names or p1, p2 and so on; a token with `{n}` stands for `count` principals.
    package static func principals(_ tokens: [String], _ count: Int) throws -> [(name: String, token: String)] {
        try InputProblem.checked(
            "--principals", count, within: 1...1_000_000, fix: "remove it for one principal of each --token")
        return try ServerUnderTest.numbered(tokens, count).enumerated().map { index, text in
            guard text.contains("=") else { return ("p\(index + 1)", text) }
            return try pair(text, "--token", example: "p1=secret")
        }
    }

    package mutating func take(pushURL: String?, topic: String, devices texts: [String]) throws {
        let devices = try ServerUnderTest.numbered(texts, principals.count).map {
            try Self.pair($0, "--device", example: "p1=ab12")
        }
        guard let pushURL else {
            guard devices.isEmpty else {
                throw InputProblem(
                    "--device", "there is no push service", expected: "--push-url with it",
                    fix: "add --push-url, or remove --device")
            }
            return
        }
        do {
            _ = try Endpoint(pushURL)
        } catch {
            throw InputProblem("--push-url", "\(error)", expected: "an http or https URL", fix: "correct it")
        }
        for (name, token) in devices {
            guard principals.contains(where: { $0.name == name }) else {
                throw InputProblem(
                    "--device", "no principal is named '\(name)'",
                    expected: principals.map(\.name).sorted().joined(separator: ", "), fix: "correct the name")
            }
            guard token.allSatisfy({ $0 == "-" || $0.isASCII && ($0.isLetter || $0.isNumber) }) else {
                throw InputProblem(
                    "--device", "the token of \(name) has characters other than letters, digits and '-'",
                    expected: "a device token in hexadecimal", fix: "correct it")
            }
        }
        push = PushService(url: pushURL, topic: topic, devices: devices.map { ($0.name, $0.token) })
    }
}
