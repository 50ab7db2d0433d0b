import Holdfast
import HoldfastBasics
import HoldfastJSON
import HoldfastSchemaDiff

/// Validates the golden messages of each state against the schemas of the other.
///
/// Chapter 8.2: a valid message stays valid until the next major version.
struct FixtureComparison {
    private let old: ProtocolState
    private let new: ProtocolState
    private let oldSchemas: MessageSchemas
    private let newSchemas: MessageSchemas

    static func entries(_ old: ProtocolState, _ new: ProtocolState) -> [GateEntry] {
        let comparison = FixtureComparison(
            old: old, new: new, oldSchemas: old.specification.messageSchemas(for: []),
            newSchemas: new.specification.messageSchemas(for: []))
        guard old.fixtures.isThere else {
            let missing = GateEntry.policy(
                "baseline-missing", old: GateLocation(file: "Fixtures/index.json"),
                why: "the old version has no fixtures, so nothing shows what was valid")
            return [missing] + comparison.unfixtured()
        }
        return comparison.formerlyValid() + comparison.formerlyInvalid() + comparison.verdicts() + comparison.files()
            + comparison.expectations() + comparison.newlyValid() + comparison.contradictions()
            + comparison.unfixtured()
    }

    // MARK: Messages

    private struct Refusal {
        let fixture: FixtureFiles.Golden
        let problem: MessageProblem
    }

    private func refusals(
        _ fixtures: [FixtureFiles.Golden], by version: GateWitness.Version
    ) -> [Refusal] {
        let (reader, writer) = version == .new ? (newSchemas, oldSchemas) : (oldSchemas, newSchemas)
        return fixtures.compactMap { fixture in
            // A message type that was added or removed as a whole is a separate finding.
            guard newSchemas.names.contains(fixture.type), oldSchemas.names.contains(fixture.type),
                let problem = reader.validate(bytes: fixture.bytes, as: fixture.type).first,
                writer.validate(bytes: fixture.bytes, as: fixture.type).isEmpty
            else { return nil }
            return Refusal(fixture: fixture, problem: problem)
        }
    }

    private func formerlyValid() -> [GateEntry] {
        grouped(refusals(old.fixtures.messages.filter(\.isValid), by: .new)).map { group in
            entry(
                "fixture-now-invalid", .error, group, refusedBy: .new,
                why: "valid until now, and the new schemas reject it: \(group[0].problem.what)",
                breaks: [GateParty(sender(of: group[0].fixture.type))])
        }
    }

    /// Fixtures that were rejected, are valid now, and are no longer golden; other checks report those still golden.
    private func formerlyInvalid() -> [GateEntry] {
        let golden = Set(new.fixtures.messages.map(\.content))
        let accepted = refusals(old.fixtures.messages.filter { !$0.isValid && !golden.contains($0.content) }, by: .old)
        return grouped(accepted).map { group in
            entry(
                "invalid-fixture-now-valid", .warning, group, refusedBy: .old,
                why: "rejected until now, and the new schemas accept it: a wider set of values", breaks: [])
        }
    }

    /// Golden messages whose validity changed, even if their files moved.
    private func verdicts() -> [GateEntry] {
        let byContent = new.fixtures.messages.keyed(by: \.content)
        return old.fixtures.messages.compactMap { was in
            guard let now = byContent[was.content], now.isValid != was.isValid else { return nil }
            let sender = sender(of: was.type)
            let (before, after) = was.isValid ? ("valid", "invalid") : ("invalid", "valid")
            let party = GateParty(was.isValid == (sender == .client) ? .client : .server)
            func location(_ file: String) -> GateLocation { GateLocation(file: "Fixtures/\(file)", line: 1) }
            return GateEntry(
                "fixture-verdict-changed", .error,
                direction: sender == .client ? .clientToServer : .serverToClient, messages: [was.type],
                old: location(was.file), new: location(now.file), oldValue: .string(before), newValue: .string(after),
                why: was.isValid
                    ? "a golden message was valid and is invalid now (chapter 8.2): old \(party) send it"
                    : "a golden message was invalid and is valid now (chapter 8.2): old \(party) reject it",
                breaks: [party], subjects: [was.type])
        }
    }

    /// Golden messages that the new schemas judge in the opposite way; those of one type and reason are one finding.
    private func contradictions() -> [GateEntry] {
        let found = new.fixtures.messages.compactMap {
            fixture -> (fixture: FixtureFiles.Golden, problem: MessageProblem?)? in
            guard newSchemas.names.contains(fixture.type) else { return nil }
            let problem = newSchemas.validate(bytes: fixture.bytes, as: fixture.type).first
            return (problem == nil) == fixture.isValid ? nil : (fixture, problem)
        }
        let groups = Dictionary(grouping: found) {
            [$0.fixture.type, $0.problem?.keyword ?? "", "\($0.fixture.isValid)"]
        }
        return groups.sorted { $0.key.lexicographicallyPrecedes($1.key) }.map { _, group in
            let (first, problem) = group[0]
            let rest = group.count > 1 ? ", as with \(group.count - 1) more" : ""
            return .policy(
                "fixture-contradicts-schema", messages: [first.type],
                new: GateLocation(file: "Fixtures/\(first.file)", line: 1),
                newValue: .array(group.map { .string($0.fixture.file) }),
                why: (problem.map { "it is golden as valid, but its schema rejects it: \(words($0))" }
                    ?? "it is golden as invalid, but its schema accepts it") + rest)
        }
    }

    /// Messages that servers of the new version may send and clients of the old one reject.
    private func newlyValid() -> [GateEntry] {
        let known = Set(old.fixtures.messages.map(\.content))
        // New messages of clients are for servers that know them.
        let fresh = new.fixtures.messages.filter {
            $0.isValid && !known.contains($0.content) && sender(of: $0.type) == .server
        }
        return grouped(refusals(fresh, by: .old)).map { group in
            entry(
                "new-fixture-invalid-under-old", .error, group, refusedBy: .old,
                why:
                    "new servers may send this, and the old schemas reject it: \(group[0].problem.what)",
                breaks: [GateParty(.client)])
        }
    }

    /// Messages of one type that one keyword rejects are one finding, however many there are.
    private func grouped(_ refusals: [Refusal]) -> [[Refusal]] {
        Dictionary(grouping: refusals) { [$0.fixture.type, $0.problem.keyword ?? $0.problem.what] }
            .sorted { $0.key.lexicographicallyPrecedes($1.key) }.map(\.value)
    }

    private func entry(
        _ rule: String, _ severity: GateSeverity, _ group: [Refusal], refusedBy: GateWitness.Version, why: String,
        breaks: [GateParty]
    ) -> GateEntry {
        let first = group.min { $0.fixture.bytes.count < $1.fixture.bytes.count } ?? group[0]
        let type = first.fixture.type
        let names = group.prefix(3).map { "Fixtures/\($0.fixture.file)" }.joined(separator: ", ")
        let rest = group.count > 3 ? " and \(group.count - 3) more" : ""
        let keyword = keyword(of: first.problem, in: refusedBy == .new ? new : old)
        return GateEntry(
            rule, severity, direction: sender(of: type) == .client ? .clientToServer : .serverToClient,
            messages: [type], old: refusedBy == .old ? keyword : nil, new: refusedBy == .new ? keyword : nil,
            // A waiver covers these messages, rejected for this reason, and no others.
            newValue: [
                "shownBy": .array(group.map(\.fixture.file).sorted().map { .string($0) }),
                "refused": .array(Set(group.map { words($0.problem) }).sorted().map { .string($0) }),
            ],
            why: "\(why); shown by \(names)\(rest)",
            witness: GateWitness(
                message: type, json: String(decoding: first.fixture.bytes, as: UTF8.self),
                validBy: refusedBy == .new ? .old : .new, invalidBy: refusedBy, complaint: words(first.problem)),
            breaks: breaks, subjects: [type])
    }

    /// Messages without a valid fixture.
    private func unfixtured() -> [GateEntry] {
        let shown = Set(new.fixtures.messages.filter(\.isValid).map(\.type))
        return newSchemas.names.filter { name in
            !shown.contains(name) && !(newSchemas.file(of: name).map { new.isShared("schemas/\($0)") } ?? false)
        }.map { name in
            .policy(
                "message-without-fixture", messages: [name],
                new: newSchemas.file(of: name).map { GateLocation(file: "schemas/\($0)", line: 1) },
                why: "no golden message shows a valid '\(name)'")
        }
    }

    // MARK: Files

    /// Golden files that were removed or changed; those of one folder are one finding.
    private func files() -> [GateEntry] {
        let contents = Set(new.fixtures.all.map(\.content))
        let bytes = Dictionary(
            new.fixtures.all.map { ($0.file, $0.content.bytes) }, uniquingKeysWith: { one, _ in one })
        let texts = Set(contents.map(\.bytes))
        // A renamed file still exists, even if its type was renamed.
        let gone = old.fixtures.all.filter { was in
            let isKnown = was.type.isEmpty || newSchemas.names.contains(was.type)
            return bytes[was.file] == nil && !contents.contains(was.content)
                && (isKnown || !texts.contains(was.content.bytes))
        }
        let changed = old.fixtures.all.filter { was in bytes[was.file].map { $0 != was.content.bytes } ?? false }
        return entries("fixture-removed", gone, isThere: false, why: "a golden file stays until the next major version")
            + entries(
                "fixture-changed", changed, isThere: true,
                why: "a golden file is part of its version: add the new form as a new file")
    }

    private func entries(
        _ rule: String, _ fixtures: [FixtureFiles.Golden], isThere: Bool, why: String
    ) -> [GateEntry] {
        let folders = Dictionary(grouping: fixtures) {
            String($0.file.prefix(upTo: $0.file.lastIndex(of: "/") ?? $0.file.startIndex))
        }
        return folders.sorted { $0.key < $1.key }.map { _, group in
            let location = GateLocation(file: "Fixtures/\(group[0].file)", line: 1)
            let names = group.map { String($0.file.split(separator: "/").last ?? "") }
            return GateEntry(
                rule, .warning, messages: [group[0].type].filter { !$0.isEmpty }, old: location,
                new: isThere ? location : nil,
                // A waiver covers these files and no others.
                newValue: group.count > 1 ? .array(names.sorted().map { .string($0) }) : nil,
                why: why + (group.count > 1 ? "; the same holds for \(group.count - 1) more in its folder" : ""),
                subjects: names.prefix(1) + group.flatMap(\.names) + names.dropFirst())
        }
    }

    /// Golden transcripts whose expected verdicts changed, even if their files moved.
    private func expectations() -> [GateEntry] {
        let byFile = new.fixtures.transcripts.keyed(by: \.file)
        let byBytes = new.fixtures.transcripts.keyed(by: \.bytes)
        return old.fixtures.transcripts.flatMap { was -> [GateEntry] in
            guard let now = byFile[was.file] ?? byBytes[was.bytes] else { return [] }
            return was.expected.sorted { $0.key < $1.key }.filter { now.expected[$0.key] != $0.value }.map {
                clause, verdict in
                func location(_ file: String) -> GateLocation {
                    GateLocation(file: "Fixtures/\(file)", pointer: JSONPointer(tokens: [clause]), line: 1)
                }
                let new = now.expected[clause]
                return GateEntry(
                    "fixture-verdict-changed", .error, old: location(was.file),
                    // A verdict that is no longer expected has no place in the new state.
                    new: new.map { _ in location(now.file) }, oldValue: .string(verdict),
                    newValue: new.map { .string($0) },
                    why:
                        "\(clause) was expected to be \(verdict) and is \(new ?? "no longer expected") now (chapter 8.2)",
                    breaks: parties(clause), subjects: [clause])
            }
        }
    }

    private func parties(_ clause: String) -> [GateParty] {
        ClauseID(clause).flatMap { new.specification[$0] ?? old.specification[$0] }.map { [$0.party] } ?? []
    }

    // MARK: Words

    private func sender(of type: String) -> Role {
        newSchemas.sender(of: type) ?? oldSchemas.sender(of: type) ?? .server
    }

    private func keyword(of problem: MessageProblem, in state: ProtocolState) -> GateLocation? {
        guard let keyword = problem.keyword else { return nil }
        let parts = keyword.split(separator: "#", maxSplits: 1).map(String.init)
        let pointer = (parts.count > 1 ? JSONPointer(parts[1]) : nil) ?? JSONPointer()
        let file = "schemas/\(parts[0])"
        return state.location(file, pointer)
    }

    private func words(_ problem: MessageProblem) -> String {
        "\(problem.instance.isRoot ? "the message as a whole" : problem.instance.description): \(problem.what)"
    }
}
