import Holdfast
import TestSupport
import Testing

@testable import HoldfastGate
@testable import HoldfastSchemaDiff

@Suite struct ClauseComparisonTests {
    private static let order = "Spec/clauses/ORDER.md"
    private static let rate = "Spec/clauses/RATE.md"
    private static let client = "Spec/clauses/CLIENT.md"
    private static let must = "A server MUST send the numbers of the stream"

    @Test func `an untouched protocol gives nothing and passes`() async throws {
        let report = try await Edit().report()
        #expect(report.entries.isEmpty)
        #expect(report.passes)
        #expect(report.headline == "COMPATIBLE: old → new, version 1.0: nothing changed")
    }

    @Test(arguments: [
        // A keyword.
        (order, must, "A server SHOULD send the numbers of the stream", ["clause-weakened error"]),
        (order, must, "A server MUST NOT send the numbers of the stream", ["clause-inverted error"]),
        (rate, "A server SHOULD answer", "A server MUST answer", ["clause-strengthened error"]),
        (rate, "A server SHOULD answer", "A server MAY answer", ["clause-weakened information"]),
        (client, "A client MUST keep", "A client SHOULD keep", ["clause-weakened warning"]),
        // The words.
        (order, "in strictly rising order", "in  strictly\nrising order", []),
        (order, "in strictly rising order", "in strictly growing order", ["clause-reworded error"]),
        (
            order, "\(must) in strictly rising order on each connection.",
            "A server MUST close idle sockets after lunch.",
            ["clause-id-reused error"]
        ),
        // Bounds of a recommendation bind nobody.
        (rate, "within 30 s", "within 20 s", ["clause-bound-tightened information"]),
        // The place.
        (order, "ORDER-3 · server · sync", "ORDER-3 · server · push", ["clause-profile-changed error"]),
        (rate, "RATE-2 · server · rate-limit", "RATE-2 · server · core", ["clause-profile-changed information"]),
        // The notes.
        (
            order, "Why: a client keeps one place.", "Why: a client keeps one place only.",
            ["clause-note-changed information"]
        ),
        (
            order, "Judged from: each frame with a number.\n",
            "Judged from: each frame with a number.\nExcluded: nobody can see it.\n", ["clause-exclusion-added warning"]
        ),
        (
            order, "Judged from: each frame with a number.\n",
            "Judged from: each frame with a number.\nExcluded: withdrawn since 1.1.\n", ["clause-withdrawn error"]
        ),
        (order, "From: R2. Since: 1.0.", "From: R2. Since: 1.1.", ["clause-since-wrong error"]),
    ])
    func `an edit of a clause is one finding`(file: String, part: String, other: String, rules: [String]) async throws {
        let edit = Edit { $0.edit(part, by: other, in: file) }
        let found = try await edit.rules().filter { !$0.hasPrefix("transcript-") }
        #expect(found == rules)
    }

    @Test func `a clause that is gone loses its number too`() async throws {
        let edit = Edit { new in
            let text = new.files[Self.order] ?? ""
            new.files[Self.order] = text.firstRange(of: "### ORDER-3").map { String(text[..<$0.lowerBound]) } ?? ""
        }
        #expect(try await edit.rules() == ["clause-removed error", "removal-without-deprecation error"])
        let report = try await edit.report()
        let removed = try #require(report.entries.first { $0.finding.rule == "clause-removed" })
        #expect(removed.breaks.map(\.description) == ["clients"])
        #expect(removed.finding.old?.address == "Spec/clauses/ORDER.md:8")
        #expect(removed.finding.new == nil)
    }

    @Test(arguments: [
        ("MUST hold", "error", Bump.major, ["servers that declare core"]), ("SHOULD hold", "information", .minor, []),
        ("MAY hold", "warning", .minor, []),
    ])
    func `a new clause binds by its keyword`(
        words: String, severity: String, bump: Bump, breaks: [String]
    ) async throws {
        let edit = Edit { new in
            new.files["Spec/clauses/LIVE.md"]? += """
                ### LIVE-2 · server · core
                A server \(words) the line.
                Why: so.
                Judged from: so.
                From: R9. Since: 1.0.

                """
        }
        let entry = try #require(try await edit.report().entries.first { $0.finding.rule == "clause-added" })
        #expect(entry.finding.severity.rawValue == severity)
        #expect(entry.bump == bump)
        #expect(entry.breaks.map(\.description) == breaks)
        #expect(entry.subjects == ["LIVE-2"])
    }

    @Test func `a clause of a new profile binds nobody yet, and says with which version it came`() async throws {
        let edit = Edit { new in
            new.files["Spec/clauses/PUSH.md"]? += """
                ### PUSH-2 · server · push
                A server MUST push.
                Why: so.
                Judged from: so.
                From: R9. Since: 1.1.

                """
        }
        #expect(try await edit.rules() == ["clause-added information", "clause-since-wrong error"])
    }
}

@Suite struct ClauseWordingTests {
    @Test(arguments: [
        (
            "send at most 4096 bytes", "send at most 2048 bytes",
            ClauseWording.tightened(old: "4096 bytes", new: "2048 bytes")
        ),
        ("send at most 4096 bytes", "send at most 8192 bytes", .loosened(old: "4096 bytes", new: "8192 bytes")),
        ("send at most 4 KiB.", "send at most 4096 bytes.", .same),
        ("answer within 1 min", "answer within 30 s", .tightened(old: "1 min", new: "30 s")),
        (
            "keep it for at least 24 hours.", "keep it for at least 48 hours.",
            .tightened(old: "24 hours", new: "48 hours")
        ),
        (
            "keep it for at least 24 hours.", "keep it for at least 12 hours.",
            .loosened(old: "24 hours", new: "12 hours")
        ),
        ("NOT send more than 10 frames", "NOT send more than 5 frames", .tightened(old: "10", new: "5")),
        ("NOT send more than 10 frames", "NOT send more than 20 frames", .loosened(old: "10", new: "20")),
        ("NOT, at night, send more than 10", "NOT, at night, send more than 5", .tightened(old: "10", new: "5")),
        ("be more than 10 wide", "be more than 20 wide", .tightened(old: "10", new: "20")),
        // Whoever must take so much may not take less.
        (
            "A client MUST accept frames of up to 1 MiB.", "A client MUST accept frames of up to 4 MiB.",
            .tightened(old: "1 MiB", new: "4 MiB")
        ),
        (
            "A client MUST accept frames of up to 4 MiB.", "A client MUST accept frames of up to 1 MiB.",
            .loosened(old: "4 MiB", new: "1 MiB")
        ),
        (
            "A client MUST send frames of up to 1 MiB.", "A client MUST send frames of up to 4 MiB.",
            .loosened(old: "1 MiB", new: "4 MiB")
        ),
        (
            "A client MUST weigh frames of up to 1 MiB.", "A client MUST weigh frames of up to 4 MiB.",
            .moved(old: "1 MiB", new: "4 MiB")
        ),
        ("close with 4001", "close with 4002", .moved(old: "4001", new: "4002")),
        ("answer with a `b` frame", "answer with  a\n`b` frame", .same),
        ("answer with one frame in time", "answer with one frame in good time", .reworded),
        ("answer every question in order", "close idle sockets after lunch", .replaced),
        (
            "at most 12 reads, the last no later than 65 s", "at most 10 reads, the last no later than 60 s",
            .tightened(old: "12 reads, 65 s", new: "10 reads, 60 s")
        ),
        (
            "at most 12 reads, the last no later than 65 s", "at most 10 reads, the last no later than 70 s",
            .moved(old: "12 reads, 65 s", new: "10 reads, 70 s")
        ),
    ])
    func `numbers tell whether more is asked for`(old: String, new: String, wording: ClauseWording) {
        #expect(ClauseWording.comparing(old, new) == wording)
    }
}
