import HoldfastReport
import HoldfastStage

/// A command with its options, quoted for a shell.
private struct CommandWords {
    private(set) var text: String

    init(_ command: String) { text = command }

    mutating func add(_ name: String, _ values: [String]) { for value in values { text += " \(name) \(value)" } }
    mutating func add(_ name: String, _ value: String?) { if let value { text += " \(name) \(value)" } }
    mutating func add(_ flag: String, if isGiven: Bool) { if isGiven { text += " \(flag)" } }
}

extension ServerUnderTest {
    /// The command that tests this server again, without secrets from its options or the subject file.
    package func rerun(_ command: String, _ subject: ServerSubject) -> String {
        let secrets =
            tokens + devices.map { String($0.drop { $0 != "=" }.dropFirst()) }
            + subject.principals.flatMap { [$0.token, $0.device].compactMap(\.self) }
        let quoted = ShellWords.quoted
        // A query may carry a token.
        let address = url.map { $0.contains("?") ? " '\($0.prefix { $0 != "?" })?…'" : " \($0)" }
        var words = CommandWords(command + (address ?? ""))
        words.add("--reference", if: reference != nil)
        words.add("--defect", defects)
        words.add("--variation", variations)
        words.add("--subject", subjectFile)
        words.add("--http", http)
        words.add("--token", tokens.map { _ in "…" })
        words.add("--token-env", tokenVariables.map(quoted))
        words.add("--token-file", tokenFiles.map(quoted))
        // An argument may be a secret unknown to the suite.
        words.add("--token-command", tokenCommands.map { "'\($0.prefix { !$0.isWhitespace }) …'" })
        words.add("--profile", profiles)
        words.add("--dialect", dialect.map(quoted))
        words.add("--scripted-agent", if: hasScriptedAgent)
        words.add("--tier", tiers.map(String.init))
        words.add("--patience", patience == 20 ? nil : "\(patience)")
        words.add("--start", start.map { quoted(Self.without(secrets, $0)) })
        words.add("--data", data.map(quoted))
        words.add("--env", environment.map { "\($0.prefix { $0 != "=" })=…" })
        words.add("--ready", ready.map(quoted))
        words.add("--kills", kills == 20 ? nil : "\(kills)")
        words.add("--push-sink", pushSink)
        words.add("--push-tls", if: pushSpeaksTLS)
        words.add("--push-certificate", pushCertificate.map(quoted))
        words.add("--device", devices.map { "\($0.prefix { $0 != "=" })=…" })
        words.add("--model-endpoint", modelEndpoint)
        words.add("--header", headers.map { "'\($0.prefix { $0 != ":" }): …'" })
        words.add("--cookie", cookie.map { _ in "…" })
        words.add("--origin", origin)
        words.add("--ca", certificateAuthorities.map(quoted))
        words.add("--client-certificate", clientCertificate.map(quoted))
        words.add("--client-key", clientKey.map(quoted))
        words.add("--skip-crashes", if: skipsCrashes)
        words.add("--strict", if: isStrict)
        words.add("--accept-any-certificate", if: acceptsAnyCertificate)
        return words.text
    }

    /// A command without the secrets; longest first, because one may begin with another.
    private static func without(_ secrets: [String], _ text: String) -> String {
        Set(secrets).filter { !$0.isEmpty }.sorted { ($0.count, $0) > ($1.count, $1) }.reduce(text) { text, secret in
            text.replacing(secret, with: "…")
        }
    }
}

extension ClientUnderTest {
    /// The command that tests this client again: its options, and the words after `--`.
    package func rerun(_ command: String, spec: String? = nil) -> RunReport.Rerun {
        var words = CommandWords(command)
        var program: [String] = []
        switch driver {
        case .command(let command): program = command
        case .device(let address): words.add("--listen", address)
        case .reference(_, let defects, let variations):
            words.add("--reference", if: true)
            words.add("--defect", defects)
            words.add("--variation", variations)
        case .inProcess: break
        }
        words.add("--profile", profiles)
        words.add("--dialect", dialect.map(ShellWords.quoted))
        words.add("--time-scale", timeScale == 10 ? nil : Self.readable(timeScale))
        words.add("--host", host)
        words.add("--spec", spec.map(ShellWords.quoted))
        return RunReport.Rerun(
            words.text, driver: program.isEmpty ? nil : program.map(ShellWords.quoted).joined(separator: " "))
    }
}
