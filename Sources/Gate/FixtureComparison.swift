import Holdfast
import JSON
import SchemaDiff

/// Holds the golden messages of each state against the schemas of the other.
///
/// Chapter 8.2: a valid message stays valid until the next major version.
struct FixtureComparison {
    private let old: ProtocolState
    private let new: ProtocolState
    private let oldSchemas: MessageSchemas
    private let newSchemas: MessageSchemas

    /// Compares the golden messages of two states.
    static func entries(_ old: ProtocolState, _ new: ProtocolState) -> [GateEntry] {
        let comparison = FixtureComparison(
            old: old, new: new, oldSchemas: old.specification.messageSchemas(for: []),
            newSchemas: new.specification.messageSchemas(for: []))
        guard old.fixtures.isThere else {
            return [
                GateEntry(
                    GateFinding(
                        rule: "baseline-missing", severity: .error, direction: nil,
                        old: GatePlace(file: "Fixtures/index.json"),
                        why: "the old state has no fixtures, so nothing shows what was valid in it"),
                    kind: .policy, rise: .none)
            ] + comparison.unfixtured()
        }
        return comparison.formerlyValid() + comparison.formerlyInvalid() + comparison.files() + comparison.newlyValid()
            + comparison.unfixtured()
    }

    /// A fixture is its bytes under its type, wherever it stands.
    private struct Content: Hashable {
        let type: String
        let bytes: [UInt8]
    }

    // MARK: Messages

    /// A golden message that one side refuses, and by what.
    private struct Refusal {
        let fixture: FixtureFiles.Message
        let problem: MessageProblem
    }

    /// What was valid, and is refused by the new schemas.
    private func formerlyValid() -> [GateEntry] {
        let refused = old.fixtures.messages.filter(\.isValid).compactMap { fixture -> Refusal? in
            // A message that is gone as a whole is one finding of its own.
            guard newSchemas.names.contains(fixture.type),
                let problem = newSchemas.validate(bytes: fixture.bytes, as: fixture.type).first,
                oldSchemas.validate(bytes: fixture.bytes, as: fixture.type).isEmpty
            else { return nil }
            return Refusal(fixture: fixture, problem: problem)
        }
        return grouped(refused).map { group in
            let type = group[0].fixture.type
            return entry(
                "fixture-now-invalid", .error, group, refusedBy: .new,
                why: "valid until now, and refused by the new schemas: \(group[0].problem.what)",
                breaks: [GateParty(sender(of: type))])
        }
    }

    /// What was refused, and is valid by the new schemas.
    private func formerlyInvalid() -> [GateEntry] {
        let blessed = Set(new.fixtures.messages.filter(\.isValid).map { Content(type: $0.type, bytes: $0.bytes) })
        let accepted = old.fixtures.messages.filter { !$0.isValid }.compactMap { fixture -> Refusal? in
            guard newSchemas.names.contains(fixture.type),
                newSchemas.validate(bytes: fixture.bytes, as: fixture.type).isEmpty,
                let problem = oldSchemas.validate(bytes: fixture.bytes, as: fixture.type).first
            else { return nil }
            return Refusal(fixture: fixture, problem: problem)
        }
        let isGolden = { (refusal: Refusal) in
            blessed.contains(Content(type: refusal.fixture.type, bytes: refusal.fixture.bytes))
        }
        return grouped(accepted.filter(isGolden)).map { group in
            let receiver = GateParty(sender(of: group[0].fixture.type) == .client ? .server : .client)
            return entry(
                "fixture-verdict-changed", .error, group, refusedBy: .old,
                why: "golden as invalid until now, and as valid from now on (chapter 8.2); \(receiver) of the old "
                    + "version refuse it", breaks: [receiver])
        }
            + grouped(accepted.filter { !isGolden($0) }).map { group in
                entry(
                    "invalid-fixture-now-valid", .warning, group, refusedBy: .old,
                    why: "refused until now, and accepted by the new schemas: a wider set of values", breaks: [])
            }
    }

    /// What servers of the new version may send, and clients of the old one refuse.
    private func newlyValid() -> [GateEntry] {
        let known = Set(old.fixtures.messages.map { Content(type: $0.type, bytes: $0.bytes) })
        let refused = new.fixtures.messages.filter(\.isValid).compactMap { fixture -> Refusal? in
            // What clients send new is for servers that know it.
            guard !known.contains(Content(type: fixture.type, bytes: fixture.bytes)),
                oldSchemas.names.contains(fixture.type), sender(of: fixture.type) == .server,
                let problem = oldSchemas.validate(bytes: fixture.bytes, as: fixture.type).first,
                newSchemas.validate(bytes: fixture.bytes, as: fixture.type).isEmpty
            else { return nil }
            return Refusal(fixture: fixture, problem: problem)
        }
        return grouped(refused).map { group in
            entry(
                "new-fixture-invalid-under-old", .error, group, refusedBy: .old,
                why:
                    "servers of the new version may send this, and the old schemas refuse it: \(group[0].problem.what)",
                breaks: [GateParty(.client)])
        }
    }

    /// Messages of one kind that one keyword refuses are one finding, however many show it.
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
            GateFinding(
                rule: rule, severity: severity,
                direction: sender(of: type) == .client ? .clientToServer : .serverToClient, messages: [type],
                old: refusedBy == .old ? keyword : nil, new: refusedBy == .new ? keyword : nil,
                // A waiver covers these messages, refused for this reason, and no others.
                newValue: [
                    "shownBy": .array(group.map(\.fixture.file).sorted().map { .string($0) }),
                    "refused": .array(Set(group.map { words($0.problem) }).sorted().map { .string($0) }),
                ],
                why: "\(why); shown by \(names)\(rest)",
                witness: GateWitness(
                    message: type, json: String(decoding: first.fixture.bytes, as: UTF8.self),
                    validBy: refusedBy == .new ? .old : .new, invalidBy: refusedBy, complaint: words(first.problem))),
            breaks: breaks, rise: severity == .error ? .major : .minor, subjects: [type])
    }

    /// Messages that nobody shows a valid form of.
    private func unfixtured() -> [GateEntry] {
        let shown = Set(new.fixtures.messages.filter(\.isValid).map(\.type))
        return newSchemas.names.filter { !shown.contains($0) }.map { name in
            GateEntry(
                GateFinding(
                    rule: "message-without-fixture", severity: .error, direction: nil, messages: [name],
                    new: newSchemas.file(of: name).map { GatePlace(file: "schemas/\($0)", line: 1) },
                    why: "no golden message shows what a valid '\(name)' looks like"),
                kind: .policy, rise: .none)
        }
    }

    // MARK: Files

    private func files() -> [GateEntry] {
        let messages = old.fixtures.messages.map { ($0.file, $0.bytes, [$0.type]) }
        let transcripts = old.fixtures.transcripts.map { ($0.file, $0.bytes, [String]()) }
        let now = Dictionary(
            new.fixtures.messages.map { ($0.file, $0.bytes) } + new.fixtures.transcripts.map { ($0.file, $0.bytes) },
            uniquingKeysWith: { first, _ in first })
        let content = Set(new.fixtures.messages.map { Content(type: $0.type, bytes: $0.bytes) })
        let texts = Set(new.fixtures.transcripts.map(\.bytes))
        var entries: [GateEntry] = []
        for (file, bytes, types) in messages + transcripts {
            let path = "Fixtures/\(file)"
            guard let after = now[file] else {
                // Under another name it is still there.
                let isMoved =
                    types.isEmpty ? texts.contains(bytes) : content.contains(Content(type: types[0], bytes: bytes))
                if isMoved { continue }
                entries.append(
                    GateEntry(
                        GateFinding(
                            rule: "fixture-removed", severity: .warning, direction: nil, messages: types,
                            old: GatePlace(file: path, line: 1),
                            why:
                                "nothing shows any more what it showed; a golden file stays until the next major version"
                        ),
                        rise: .minor, subjects: [fileName(file)] + types))
                continue
            }
            if after != bytes {
                entries.append(
                    GateEntry(
                        GateFinding(
                            rule: "fixture-changed", severity: .warning, direction: nil, messages: types,
                            old: GatePlace(file: path, line: 1), new: GatePlace(file: path, line: 1),
                            why: "a golden file is part of its version: give the new form a name of its own"),
                        rise: .minor, subjects: [fileName(file)] + types))
            }
        }
        return entries + expectations()
    }

    /// Golden transcripts that are to be judged otherwise now.
    private func expectations() -> [GateEntry] {
        let now = Dictionary(
            new.fixtures.transcripts.map { ($0.file, $0) }, uniquingKeysWith: { first, _ in first })
        return old.fixtures.transcripts.flatMap { was -> [GateEntry] in
            guard let after = now[was.file] else { return [] }
            return was.expected.sorted { $0.key < $1.key }.compactMap { clause, verdict in
                let new = after.expected[clause]
                guard new != verdict else { return nil }
                let path = "Fixtures/\(was.file)"
                return GateEntry(
                    GateFinding(
                        rule: "fixture-verdict-changed", severity: .error, direction: nil,
                        old: GatePlace(file: path, pointer: JSONPointer(tokens: [clause]), line: 1),
                        // A verdict that is not expected any more has no place in the new state.
                        new: new.map { _ in GatePlace(file: path, pointer: JSONPointer(tokens: [clause]), line: 1) },
                        oldValue: .string(verdict), newValue: new.map { .string($0) },
                        why: "what was \(verdict) by \(clause) is \(new ?? "not expected any more") now (chapter 8.2)"),
                    breaks: parties(clause), rise: .major, subjects: [clause])
            }
        }
    }

    private func parties(_ clause: String) -> [GateParty] {
        guard let id = ClauseID(clause), let clause = new.specification[id] ?? old.specification[id] else { return [] }
        return [GateParty(clause.role, profile: clause.profile.rawValue)]
    }

    // MARK: Words

    private func sender(of type: String) -> Role {
        newSchemas.sender(of: type) ?? oldSchemas.sender(of: type) ?? .server
    }

    /// Where the keyword stands that refuses.
    private func keyword(of problem: MessageProblem, in state: ProtocolState) -> GatePlace? {
        guard let keyword = problem.keyword else { return nil }
        let parts = keyword.split(separator: "#", maxSplits: 1).map(String.init)
        let pointer = (parts.count > 1 ? JSONPointer(parts[1]) : nil) ?? JSONPointer()
        let file = "schemas/\(parts[0])"
        let line = state.text(file).flatMap { JSONParser.location(of: pointer, in: $0)?.line }
        return GatePlace(file: file, pointer: pointer, line: line)
    }

    private func words(_ problem: MessageProblem) -> String {
        "\(problem.instance.isRoot ? "the message as a whole" : problem.instance.description): \(problem.what)"
    }

    private func fileName(_ file: String) -> String { String(file.split(separator: "/").last ?? "") }
}
