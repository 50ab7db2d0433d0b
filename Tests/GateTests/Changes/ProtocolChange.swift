import TestSupport
import Testing

@testable import HoldfastGate

/// One change as a pull request brings it, and what was predicted of it.
struct ProtocolChange: Sendable, CustomTestStringConvertible {
    /// A text that is put in place of another one in a file; a file that is new has no such text, and one
    /// that goes neither.
    struct Edit: Sendable {
        let file: String
        let part: String
        let other: String
    }

    let name: String
    let edits: [Edit]
    /// Who breaks; nobody where the gate passes.
    let breaks: Set<String>
    /// The findings that weigh more than information, policies of the version and the changelog left out.
    let says: Set<String>
    /// The version by which the witness is valid; nil where no message can show it.
    let witness: String?
    /// Whether it is also a wrong way of changing, whatever the version.
    let isWrong: Bool

    var testDescription: String { name }

    init(
        _ name: String, _ file: String, _ part: String, _ other: String, _ breaks: String..., says: String...,
        witness: String? = nil, isWrong: Bool = false
    ) {
        self.name = name
        edits = [Edit(file: file, part: part, other: other)]
        self.breaks = Set(breaks)
        self.says = Set(says.map { $0.contains(" ") ? $0 : "\($0) error" })
        self.witness = witness
        self.isWrong = isWrong
    }

    /// A change at several places.
    init(_ name: String, _ edits: [Edit], _ breaks: String..., says: String...) {
        self.name = name
        self.edits = edits
        self.breaks = Set(breaks)
        self.says = Set(says.map { "\($0) error" })
        (witness, isWrong) = (nil, false)
    }

    /// A change of several files.
    init(_ name: String, _ edits: [Edit], like other: ProtocolChange) {
        self.name = name
        self.edits = edits
        (breaks, says, witness, isWrong) = (other.breaks, other.says, other.witness, other.isWrong)
    }

    /// The protocol after the change.
    func apply(to protocol: inout SmallProtocol, version: String) {
        for edit in edits {
            let path = edit.file.hasPrefix("Fixtures/") ? edit.file : "Spec/\(edit.file)"
            switch (edit.part.isEmpty, edit.other.isEmpty) {
            case (true, true) where path.hasPrefix("Spec/"): `protocol`.files[path] = nil
            case (true, true): `protocol`.remove(fixture: String(path.dropFirst("Fixtures/".count)))
            case (true, false) where path.hasPrefix("Fixtures/messages/"):
                `protocol`.add(
                    message: String(path.dropFirst("Fixtures/messages/".count).dropLast(".json".count)), edit.other)
            case (true, false): `protocol`.files[path] = edit.other
            default: `protocol`.edit(edit.part, by: edit.other.replacing("NEXT", with: version), in: path)
            }
        }
    }

    /// What a reader of the changelog is told: every name there is.
    private static let words = """
        chat, order, status, done, error, typing, id, code, TURN-1, TURN-2, TURN-3, TURN-4, TURN-5, TURN-6, ORDER-3, busy, tired, too_large,
        1001, 1013, 4001, 4002, 4010, pong, turn, resend, quiet, sync, evicted, too_many, too_old, core, push, client-sync, later,
        GET /api/health, GET /api/sessions/{id}, POST /api/chat, GET /api/stats, bearer, REST bearer, socket bearer, ask, show, tell,
        protocol, content type, address of socket, no JSON, unknown type, binary, auth, ping, bearer, nothing, socket, plain.json, client-core,
        what arrives, what the server does, input, answer, asyncapi.json, note, polling, connection, over REST, asking again, the client then,
        a type that nobody knows, state, opened, old, servers, path, Window, limit, GET /api/answer, LATER-1, LATER-2, quit, first
        """

    /// What the gate says of each change alone in a minor version: computed once, for all tests that ask.
    static let minor = Reports()

    actor Reports {
        private var reports: [String: Task<GateReport, any Error>] = [:]

        func report(_ change: ProtocolChange) async throws -> GateReport {
            let task = reports[change.name] ?? Task { try await ProtocolChange.report([change], version: "1.1") }
            reports[change.name] = task
            return try await task.value
        }
    }

    /// What the gate says of changes together, released under a version.
    static func report(_ changes: [ProtocolChange], version: String) async throws -> GateReport {
        var edit = Release()
        for change in changes { change.apply(to: &edit.new, version: version) }
        edit.new.release(version, saying: words)
        return try await edit.report()
    }
}

/// The protocol that changes are made of, old and new.
private struct Release {
    var new = ChangedProtocol.base

    func report() async throws -> GateReport {
        try await gate(from: ChangedProtocol.state.get(), to: new.state(), options: GateOptions(today: Edit.today))
    }
}
