import Holdfast
import HoldfastPlatform
import HoldfastStage

extension LoadPlan {
    /// The maximum number of devices in one process; more would need more ports than a machine has.
    private static let maxDevices = 50_000
    /// The descriptors that a device needs besides its socket, and those of the program itself.
    private static let (filesPerDevice, ownFiles) = (2, 200)

    /// A plan from flags; without a seed, one is drawn.
    package init(
        devices: Int, for length: String, ramp: String?, seed: UInt64?, mix: String, under specification: Specification
    ) throws {
        try InputProblem.checked("--devices", devices, within: 1...Self.maxDevices, fix: "use --shard I/N for more")
        let duration = try Self.milliseconds(length, "--for", from: 1000)
        let rampTime = try ramp.map { try Self.milliseconds($0, "--ramp", from: 0) } ?? duration / 6
        guard rampTime < duration else {
            throw InputProblem(
                "--ramp", "'\(ramp ?? "")' is not shorter than --for", expected: "less than \(length)",
                fix: "shorten it, or lengthen --for")
        }
        self.init(
            devices: devices, duration: duration, ramp: rampTime, seed: seed ?? .random(in: 0...9_999_999),
            mix: try specification.mix(given: mix))
    }

    /// Reads `90s`, `5min`, `250ms` or seconds.
    static func milliseconds(_ text: String, _ flag: String, from least: Int) throws(InputProblem) -> Int {
        let digits = text.prefix { $0.isNumber || $0 == "." }
        let units = ["": 1000.0, "s": 1000, "ms": 1, "min": 60_000, "m": 60_000, "h": 3_600_000]
        guard let number = Double(digits), let unit = units[String(text.dropFirst(digits.count))],
            case let time = number * unit, (Double(least)...86_400_000).contains(time)
        else {
            throw InputProblem(
                flag, "'\(clipped(text))' is not a time of \(least / 1000) s to 24 h",
                expected: "seconds, or a number with ms, s, min or h", fix: "for example \(flag) 30s")
        }
        return Int(time)
    }

    /// Checks that this process may open as many files as the devices of one shard need.
    package func checkFiles(shards: Int) throws(InputProblem) {
        let allowed = Processes.raiseOpenFiles()
        let needed = devices / shards * Self.filesPerDevice + Self.ownFiles
        guard allowed < needed else { return }
        throw InputProblem(
            "--devices",
            "\(devices / shards) devices need up to \(needed) open files, and this process may open \(allowed)",
            expected: "at most \(max(1, (allowed - Self.ownFiles) / Self.filesPerDevice)) devices",
            fix: "raise the limit with 'ulimit -n \(needed)', or use --shard I/N")
    }
}

extension Specification {
    fileprivate func mix(given text: String) throws -> LoadMix {
        if let known = try mix(named: text) { return known }
        guard text.contains("/") || text.hasSuffix(".json") else {
            throw InputProblem(
                "--mix", "there is no mix '\(clipped(text))'", insteadOf: text, among: mixNames,
                expected: "\(mixNames.joined(separator: ", ")), or the path of a mix file",
                otherwise: "choose one of these")
        }
        let name = text.split(separator: "/").last.map(String.init) ?? text
        return try LoadMix(Files.text(of: text), file: text, name: name.replacing(".json", with: ""))
    }
}

extension ServerUnderTest {
    /// The server, with as many principals as the devices of a plan have, if there are tokens for them.
    package func subject(
        under load: LoadPlan, tokens file: String?, _ specification: Specification
    ) throws -> ServerSubject {
        let count = load.people().count
        var server = self
        server.principalsUnderLoad = count
        server.skipsCrashes = true
        server.tokens = Self.numbered(tokens, count)
        if let file {
            let lines = try Files.text(of: file).split(whereSeparator: \.isNewline).map(String.init)
            guard !lines.isEmpty else {
                throw InputProblem(
                    "--tokens", "'\(file)' has no lines", expected: "a token per line",
                    fix: "write the tokens of your test accounts into it")
            }
            server.tokens += lines
        }
        let subject = try server.subject(under: specification).subject
        guard subject.dialect.isCanonical else {
            throw InputProblem(
                "--dialect", "a load test can use only the canonical form", expected: "canonical",
                fix: "run 'conformance server --dialect \(subject.dialect.name)' instead")
        }
        return subject
    }

    /// The tokens; one that contains `{n}` stands for `count` tokens, numbered from 1.
    static func numbered(_ tokens: [String], _ count: Int) -> [String] {
        tokens.flatMap { token in
            token.contains("{n}") ? (1...count).map { token.replacing("{n}", with: "\($0)") } : [token]
        }
    }
}
