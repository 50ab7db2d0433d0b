import Holdfast
import HoldfastJSON
import TestSupport
import Testing

@testable import HoldfastGate
@testable import HoldfastSchemaDiff

@Suite struct VersionPolicyTests {
    private static let order = "Spec/clauses/ORDER.md"
    private static let rate = "Spec/clauses/RATE.md"

    /// A breaking edit, a harmless one, and words, with a version.
    private func report(_ part: String, _ other: String, version: String, words: String) async throws -> GateReport {
        try await Edit {
            $0.edit(part, by: other, in: part.contains("SHOULD") ? Self.rate : Self.order)
            $0.release(version, saying: words)
        }.report()
    }

    private func policies(_ report: GateReport) -> [String] {
        report.entries.filter { $0.kind == .policy }.map(\.finding.rule)
    }

    private let weaker = ("A server MUST send the", "A server SHOULD send the")
    /// A recommendation in other words, which breaks nobody.
    private let words = ("A server SHOULD answer", "A server SHOULD reply")

    @Test func `a breaking change needs a new major version`() async throws {
        let minor = try await report(weaker.0, weaker.1, version: "1.1", words: "ORDER-3")
        #expect(policies(minor) == ["breaking-without-major"])
        #expect(minor.exit == .violation)
        let major = try await report(weaker.0, weaker.1, version: "2.0", words: "ORDER-3 is a SHOULD.")
        #expect(policies(major) == [])
        #expect(major.passes)
        #expect(major.breaking.map(\.status) == [.announced])
        #expect(major.headline == "ALLOWED: old → new, 1.0 → 2.0: 1 breaking change announced by the version")
    }

    @Test func `an addition needs a minor one`() async throws {
        let same = try await Edit { $0.edit(self.words.0, by: self.words.1, in: Self.rate) }.report()
        #expect(policies(same) == ["changelog-missing", "version-unchanged"])
        #expect(same.requiredVersion == "1.1")
        let minor = try await report(words.0, words.1, version: "1.1", words: "RATE-2 says reply.")
        #expect(policies(minor) == [])
        #expect(minor.passes)
    }

    @Test func `versions never fall, and the wire follows the major one`() async throws {
        var edit = Edit { $0.release("0.9", saying: "back") }
        #expect(try await policies(edit.report()).contains("version-decreased"))
        edit = Edit {
            $0.release("2.0", saying: "new")
            $0.files["Spec/version.json"] = #"{ "specification": "2.0", "protocol": 1 }"#
        }
        #expect(try await policies(edit.report()) == ["wire-version-differs"])
    }

    @Test(arguments: [("RATE-2 and more", true), ("see RATE-21", false), ("PIRATE-2", false), ("(RATE-2).", true)])
    func `the changelog names what changed as a word of its own`(line: String, isNamed: Bool) async throws {
        let report = try await report(words.0, words.1, version: "1.1", words: line)
        #expect(policies(report) == (isNamed ? [] : ["changelog-missing"]))
    }

    @Test func `an old line of the changelog names nothing new`() async throws {
        var edit = Edit { $0.edit(self.words.0, by: self.words.1, in: Self.rate) }
        edit.old.files["CHANGELOG.md"]? += "RATE-2\n"
        edit.new.files["Spec/version.json"] = #"{ "specification": "1.1", "protocol": 1 }"#
        edit.new.files["CHANGELOG.md"] = "## 1.1\n\nWords.\n" + (edit.old.files["CHANGELOG.md"] ?? "")
        let entry = try #require(try await edit.report().failures.first)
        #expect(entry.finding.rule == "changelog-missing")
        #expect(entry.finding.newValue == ["RATE-2"])
        edit.new.files["CHANGELOG.md"] = nil
        #expect(
            try await edit.report().failures.map(\.finding.why) == [
                "the protocol changed, and there is no CHANGELOG.md"
            ])
    }

    @Test(arguments: [
        ("1.0", "1.0", Bump.none), ("1.0", "1.1", .minor), ("1.9", "1.10", .minor), ("1.5", "2.0", .major),
        ("1.0.0", "1.0.1", .patch), ("1.0", "1.0.1", .patch), ("2.0", "1.9", .none),
    ])
    func `versions are compared by number`(old: String, new: String, bump: Bump) throws {
        #expect(try #require(ProtocolVersion(new)).bump(from: #require(ProtocolVersion(old))) == bump)
    }

    @Test(arguments: ["", "1", "1.0.0.0", "01.0", "1.x", "1.-1", "v1.0", "1.0 "])
    func `anything else is no version`(text: String) {
        #expect(ProtocolVersion(text) == nil)
    }

    @Test func `a peer of an older version must not break either`() async throws {
        var edit = Edit()
        var older = SmallProtocol()
        older.add(message: "chat/valid/sad", #"{"type":"chat","mood":"sad"}"#)
        older.edit(#"["calm", "cross"]"#, by: #"["calm", "cross", "sad"]"#, in: "Spec/schemas/messages/chat.json")
        edit.options.supported = [try older.state("v0")]
        let report = try await edit.report()
        let entries = report.entries.filter { $0.finding.rule == "transitive-break" }
        #expect(!entries.isEmpty)
        #expect(entries.allSatisfy { $0.finding.why.contains("since v0 (1.0), which is still supported") })
        #expect(!report.passes)
    }

    @Test(arguments: [("enum-value-removed", false), ("transitive-break", false), ("enum-value-added", true)])
    func `an older peer is protected by rules as the team weighs them`(rule: String, isBroken: Bool) async throws {
        var edit = Edit()
        var older = SmallProtocol()
        older.edit(#"["calm", "cross"]"#, by: #"["calm", "cross", "sad"]"#, in: "Spec/schemas/messages/chat.json")
        edit.options.supported = [try older.state("v0")]
        edit.options.severities = try Severities(
            #"{"format":"holdfast-gate-severities","version":1,"severities":{"\#(rule)":"information"}}"#,
            file: "s.json")
        let report = try await edit.report()
        #expect(report.failures.contains { $0.finding.rule == "transitive-break" } == isBroken)
    }

    @Test func `a state of another major version is said not to be compared`() async throws {
        var edit = Edit()
        var older = SmallProtocol()
        older.release("0.9", saying: "old")
        edit.options.supported = [try older.state("v0"), try SmallProtocol().state("v1")]
        let report = try await edit.report()
        #expect(report.supported == ["v1"])
        #expect(
            report.notes.contains("not compared with v0: 0.9 is another major version than 1.0, and may break"))
    }

    @Test(arguments: RuleBook.all.map(\.id))
    func `the severities that a rule's page shows are accepted`(id: String) throws {
        let rule = try #require(RuleBook.rule(id))
        let line = try #require(rule.page.split(separator: "\n").last).trimmingPrefix { $0 == " " }
        let read = try Severities(String(line), file: "s.json")
        #expect(read.weights == [id: rule.severity == .warning ? .error : .warning])
    }

    @Test func `what is gone was announced, and not too soon`() throws {
        let finding = GateFinding(
            rule: "property-removed-optional", severity: .warning, direction: .serverToClient, messages: ["done"],
            old: GateLocation(
                file: "schemas/messages/done.json", pointer: JSONPointer(tokens: ["properties", "sessionId"])),
            why: "gone")
        func rules(_ marks: String, new: String) throws -> [String] {
            var old = SmallProtocol()
            old.edit(
                #""sessionId": { "type": "string" }"#, by: #""sessionId": { "type": "string"\#(marks) }"#,
                in: "Spec/schemas/messages/done.json")
            var now = SmallProtocol()
            now.release(new, saying: "gone")
            return DeprecationPolicy.entries(
                try old.state(), try now.state(), after: [GateEntry(finding, bump: .minor)]
            ).map(\.finding.rule)
        }
        #expect(try rules("", new: "1.1") == ["removal-without-deprecation"])
        #expect(try rules(#", "deprecated": true"#, new: "1.1") == [])
        #expect(try rules(#", "deprecated": true, "x-sunset": "1.2""#, new: "1.1") == ["sunset-too-soon"])
        #expect(try rules(#", "deprecated": true, "x-sunset": "1.2""#, new: "1.2") == [])
    }
}

@Suite struct WaiverTests {
    private func waivers(_ fingerprint: String, until: String) throws -> Waivers {
        try Waivers(
            """
            {"format":"holdfast-gate-waivers","version":1,"waivers":[
              {"fingerprint":"\(fingerprint)","reason":"nobody reads it","expires":"\(until)"}]}
            """, file: "w.json", today: Edit.today)
    }

    private func edit() -> Edit {
        Edit {
            $0.edit("A server MUST send the", by: "A server SHOULD send the", in: "Spec/clauses/ORDER.md")
            $0.files["CHANGELOG.md"]? += "- ORDER-3\n"
        }
    }

    @Test func `a waived finding breaks nobody and asks for no version`() async throws {
        var edit = edit()
        let fingerprint = try #require(try await edit.report().breaking.first).finding.fingerprint
        edit.options.waivers = try waivers(fingerprint, until: "2026-11-22")
        let report = try await edit.report()
        #expect(report.passes, "\(report.headline)")
        #expect(report.entries.filter(\.isWaived).map(\.finding.rule) == ["clause-weakened"])
        // The fingerprint stays when lines move.
        edit.new.files["Spec/clauses/ORDER.md"] = "\n\n\n" + (edit.new.files["Spec/clauses/ORDER.md"] ?? "")
        #expect(try await edit.report().passes)
    }

    @Test func `one that is over is an error, and waives nothing`() async throws {
        var edit = edit()
        let fingerprint = try #require(try await edit.report().breaking.first).finding.fingerprint
        edit.options.waivers = try waivers(fingerprint, until: "2026-11-21")
        #expect(
            try await edit.report().failures.map(\.finding.rule).sorted()
                == ["breaking-without-major", "clause-weakened", "waiver-expired"])
    }

    @Test func `one for nothing is an error`() async throws {
        var edit = Edit()
        edit.options.waivers = try waivers("0123456789abcdef", until: "2027-01-01")
        let report = try await edit.report()
        #expect(report.failures.map(\.finding.rule) == ["waiver-unused"])
        #expect(report.failures[0].finding.new?.address == "w.json:2")
        #expect(!report.passes)
    }

    @Test func `every fault of a file is told with its line`() throws {
        let text = """
            {"format":"holdfast-gate-waivers","version":1,"waivers":[
              {"fingerprint":"xyz","reason":"r","expires":"2026-12-31"},
              {"fingerprint":"0123456789abcdef","reason":" ","expires":"2026-02-30","until":"x"},
              {"fingerprint":"0123456789abcdef","reason":"r"},
              {"fingerprint":"0123456789abcdef","reason":"r","expires":"2027-11-24"}]}
            """
        let problems = #expect(throws: InputProblems.self) {
            _ = try Waivers(text, file: "w.json", today: Edit.today)
        }
        let words = (problems?.problems ?? []).map { "\($0.location) \($0.what)" }
        #expect(
            words == [
                "w.json:2:18 /waivers/0/fingerprint found 'xyz'", "w.json:3:81 /waivers/1/until unknown member 'until'",
                "w.json:3:46 /waivers/1/reason found ' '", "w.json:3:60 /waivers/1/expires found '2026-02-30'",
                "w.json:4:3 /waivers/2 'expires' is missing",
                "w.json:5:60 /waivers/3/expires 2027-11-24 is more than a year ahead",
            ])
    }
}

@Suite struct SeverityTests {
    private static let file = "severities.json"

    private func severities(_ weights: String) throws -> Severities {
        try Severities(
            #"{"format":"holdfast-gate-severities","version":1,"severities":{\#(weights)}}"#, file: Self.file)
    }

    private func weakened() -> Edit {
        Edit {
            $0.edit("A server MUST send the", by: "A server SHOULD send the", in: "Spec/clauses/ORDER.md")
            $0.release("1.1", saying: "ORDER-3 is a SHOULD.")
        }
    }

    @Test func `a rule that weighs less breaks nobody and asks for no major version`() async throws {
        var edit = weakened()
        #expect(try await !edit.report().passes)
        edit.options.severities = try severities(#""clause-weakened":"warning""#)
        let report = try await edit.report()
        #expect(report.passes, "\(report.headline)")
        #expect(report.entries.map { "\($0.finding.rule) \($0.finding.severity)" } == ["clause-weakened warning"])
    }

    @Test func `a rule that weighs more fails the gate`() async throws {
        var edit = Edit {
            $0.edit(#""title": "Plain""#, by: #""title": "Simple""#, in: "Spec/scenarios/server/ORDER/plain.json")
        }
        #expect(try await edit.report().passes)
        edit.options.severities = try severities(#""scenario-reworded":"error""#)
        #expect(try await edit.report().failures.map(\.finding.rule) == ["scenario-reworded"])
    }

    @Test func `where it is wanted the gate fails of warnings, which can be waived`() async throws {
        var edit = Edit { $0.edit("A server SHOULD answer", by: "A server SHOULD reply", in: "Spec/clauses/RATE.md") }
        edit.new.release("1.1", saying: "RATE-2 says reply.")
        #expect(try await edit.report().passes)
        edit.options.failOn = .warning
        let report = try await edit.report()
        #expect(report.failures.map(\.finding.rule) == ["clause-reworded"])
        #expect(report.headline == "NOT COMPATIBLE: old → new, 1.0 → 1.1: 1 warning")
        let fingerprint = try #require(report.failures.first).finding.fingerprint
        edit.options.waivers = try Waivers(
            #"{"format":"holdfast-gate-waivers","version":1,"waivers":[{"fingerprint":"\#(fingerprint)","reason":"r","expires":"2026-11-30"}]}"#,
            file: "w.json", today: Edit.today)
        #expect(try await edit.report().passes)
    }

    @Test(arguments: [
        (
            #""clause-weakend":"warning""#,
            "severities.json:1:81 /severities/clause-weakend unknown member 'clause-weakend'"
        ),
        (
            #""clause-weakened":"loud""#,
            "severities.json:1:82 /severities/clause-weakened unknown clause-weakened 'loud'"
        ),
    ])
    func `a rule that is none, and a weight that is none, are named with their place`(weights: String, told: String)
        throws
    {
        let problems = #expect(throws: InputProblems.self) { _ = try severities(weights) }
        #expect((problems?.problems ?? []).map { "\($0.location) \($0.what)" } == [told])
    }

    @Test func `every rule is in the book, with a direction and an example`() {
        #expect(Set(RuleBook.all.map(\.id)).count == RuleBook.all.count)
        for rule in RuleBook.all {
            #expect(!rule.direction.isEmpty && !rule.title.isEmpty && !rule.example.isEmpty, "\(rule.id)")
            #expect(rule.id.allSatisfy { $0.isLetter || $0 == "-" }, "\(rule.id)")
            #expect(RuleBook.list.contains("\n\(rule.id)\t"))
        }
    }

    @Test func `the book says whose message makes a rule an error`() {
        #expect(
            RuleBook.rule("property-became-required")?.direction
                == "client → server: error where a message of an old client shows it; "
                + "server → client: information, error where a message of an old server shows it")
        #expect(
            RuleBook.rule("message-added")?.direction == "client → server: information; server → client: error")
    }
}
