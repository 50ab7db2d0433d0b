import Foundation
import Holdfast
import HoldfastJSON
import HoldfastJudge
import HoldfastTranscript
import TestSupport
import Testing

/// `Fixtures/transcripts`: each file is what its line of notation expands to, and is judged as its entry says.
///
/// To add one, write its entry into `Fixtures/index.json`, then run `HOLDFAST_RECORD=1 swift test --filter TranscriptFixture`
/// and read what it wrote.
@Suite struct TranscriptFixtureTests {
    struct Entry: Sendable, CustomTestStringConvertible {
        let file: String
        let notation: String
        let profiles: Set<Profile>
        let expected: [String: Outcome]

        var testDescription: String { file }

        /// The declaration of the file's subject; its side is that of its profiles.
        var header: History.Header {
            let role = profiles.first?.role ?? .server
            return History.Header(subject: History.Subject(name: "golden", role: role, profiles: profiles))
        }
    }

    static let entries: [Entry] = {
        guard let text = try? SourceTree.text("Fixtures/index.json"), let index = try? JSONParser.value(text) else {
            return []
        }
        return (index["transcripts"]?.arrayValue ?? []).compactMap { entry in
            guard let file = entry["file"]?.stringValue, let notation = entry["notation"]?.stringValue else {
                return nil
            }
            let profiles = (entry["profiles"]?.arrayValue ?? []).compactMap {
                $0.stringValue.flatMap(Profile.init(rawValue:))
            }
            let expected = (entry["expected"]?.objectValue ?? [:]).compactMap { member in
                member.value.stringValue.flatMap(Outcome.init(rawValue:)).map { (member.key, $0) }
            }
            return Entry(
                file: file, notation: notation, profiles: Set(profiles),
                expected: Dictionary(expected, uniquingKeysWith: { first, _ in first }))
        }
    }()

    @Test func `there are at least 30 transcripts`() {
        #expect(Self.entries.count >= 30)
        #expect(Set(Self.entries.map(\.file)).count == Self.entries.count)
    }

    @Test(arguments: entries)
    func `a transcript is what its line expands to`(_ entry: Entry) throws {
        let history = try NotationExpansion(entry.notation, header: entry.header, source: entry.file).history
        try Golden.check(TranscriptWriter.text(history), against: "Fixtures/\(entry.file)")
    }

    @Test(arguments: entries)
    func `a transcript is judged as the index says`(_ entry: Entry) throws {
        let history = try TranscriptReader.history(in: SourceTree.text("Fixtures/\(entry.file)"), file: entry.file)
        let verdicts = judge(history, under: try SourceTree.specification())
        let outcomes = Dictionary(verdicts.map { ($0.clause.description, $0) }, uniquingKeysWith: { first, _ in first })
        #expect(!entry.expected.isEmpty)
        for (clause, outcome) in entry.expected {
            let verdict = try #require(outcomes[clause], "\(clause) was not judged")
            #expect(verdict.outcome == outcome, "\(clause): \(verdict.findings)")
        }
        for verdict in verdicts where verdict.outcome == .violation {
            #expect(entry.expected[verdict.clause.description] == .violation, "\(verdict.clause): \(verdict.findings)")
        }
        let isViolating = entry.file.hasPrefix("transcripts/violating/")
        let name = entry.file.split(separator: "/").last ?? ""
        let clause = name.split(separator: "-").prefix(2).joined(separator: "-")
        let wanted: Set<Outcome> = isViolating ? [.violation, .warning] : [.pass]
        #expect(entry.expected[clause].map(wanted.contains) == true, "the file is named after \(clause)")
    }

    @Test func `no transcript stands outside the index`() throws {
        let folder = URL(fileURLWithPath: SourceTree.root + "/Fixtures/transcripts").resolvingSymlinksInPath()
        let listed = Set(Self.entries.map(\.file))
        for kind in ["conforming", "violating"] {
            for name in try FileManager.default.contentsOfDirectory(atPath: folder.path + "/" + kind) {
                #expect(listed.contains("transcripts/\(kind)/\(name)"), "\(kind)/\(name) is in no entry")
            }
        }
    }
}
