import HoldfastJSON
import HoldfastJSONSchema

struct SchemaComparison {
    let old: MessageSchemaSet
    let new: MessageSchemaSet
    let policy: ComparisonPolicy
    private let oldTexts: SchemaTexts
    private let newTexts: SchemaTexts
    /// The findings so far, by fingerprint; messages may still be added to them.
    private var findings: [String: GateFinding] = [:]

    init(old: MessageSchemaSet, new: MessageSchemaSet, policy: ComparisonPolicy) {
        (self.old, self.new, self.policy) = (old, new, policy)
        oldTexts = SchemaTexts(old)
        newTexts = SchemaTexts(new)
    }

    mutating func run() -> [GateFinding] {
        compareDocuments()
        var gone = old.messages.filter { message in !new.messages.contains { $0.name == message.name } }
        var fresh = new.messages.filter { message in !old.messages.contains { $0.name == message.name } }
        rename(&gone, &fresh)
        for message in gone { removed(message) }
        for message in fresh { added(message) }
        for before in old.messages {
            guard let after = new.messages.first(where: { $0.name == before.name }) else { continue }
            compare(before, after)
        }
        return findings.values.sorted(by: GateFinding.comesFirst)
    }

    /// Adds a finding, or adds its messages to an equal one.
    private mutating func note(_ finding: GateFinding) {
        let fingerprint = finding.fingerprint
        guard var known = findings[fingerprint] else {
            findings[fingerprint] = finding
            return
        }
        known.messages = Set(known.messages + finding.messages).sorted()
        if finding.severity > known.severity {
            known.severity = finding.severity
            known.why = finding.why
        }
        known.breaks.formUnion(finding.breaks)
        // The shortest message shows it best.
        let witnesses = [known.witness, finding.witness].compactMap(\.self)
        known.witness = witnesses.min { $0.json.utf8.count < $1.json.utf8.count }
        findings[fingerprint] = known
    }

    /// Adds a finding of a rule, with the rule's severity and reason unless others are given.
    private mutating func note(
        _ id: String, _ direction: GateDirection?, _ messages: [String] = [], old: GateLocation? = nil,
        new: GateLocation? = nil, oldValue: JSONValue? = nil, newValue: JSONValue? = nil, severity: GateSeverity? = nil,
        why: String? = nil, witness: GateWitness? = nil
    ) {
        // Changes that concern no message have the same weight in both directions.
        guard let rule = GateRule.schemaRule(id) else { return }
        var finding = GateFinding(
            rule: id, severity: severity ?? rule.weight(direction ?? .clientToServer).broken, direction: direction,
            messages: messages, old: old, new: new, oldValue: oldValue, newValue: newValue,
            why: why ?? rule.why(direction ?? .clientToServer), witness: witness)
        if finding.severity == .error { finding.breaks = direction.map(rule.broken) ?? [.server, .client] }
        note(finding)
    }

    // MARK: Documents

    private mutating func compareDocuments() {
        for location in new.unknownKeywords
        where !old.unknownKeywords.contains(where: { $0.pointerText == location.pointerText }) {
            note("unknown-keyword", nil, new: location, newValue: .string(location.pointer.lastToken ?? ""))
        }
        var moves: Set<[String]> = []
        for document in new.documents {
            guard let before = old.roots[document.file], let after = new.roots[document.file],
                let uri = old.documents.first(where: { $0.file == document.file })?.uri
            else { continue }
            for (keyword, rule) in [
                ("$id", "schema-id-changed"), ("$schema", "dialect-changed"), ("$vocabulary", "dialect-changed"),
            ] where before[keyword] != after[keyword] {
                let pointer = JSONPointer(tokens: [keyword])
                let (was, now) = (before[keyword]?.stringValue ?? "", after[keyword]?.stringValue ?? "")
                // Documents that move together, or change their dialect together, are one edit.
                let same = keyword == "$id" ? zip(was.reversed(), now.reversed()).prefix { $0 == $1 }.count : 0
                let move = [rule, String(was.dropLast(same)), String(now.dropLast(same))]
                guard moves.insert(move).inserted else { continue }
                note(
                    rule, nil, old: oldTexts.location(uri, pointer), new: newTexts.location(document.uri, pointer),
                    oldValue: before[keyword], newValue: after[keyword])
            }
        }
    }

    // MARK: Messages

    /// Two schemas that differ only in the type's name are one renamed message; moving a type to another file is not a
    /// visible change.
    private mutating func rename(_ gone: inout [MessageSchemaSet.Message], _ fresh: inout [MessageSchemaSet.Message]) {
        for before in gone {
            var isVisible = false
            let same = fresh.filter { after in
                guard let one = old.schemas[before.name], let other = new.schemas[after.name] else { return false }
                var walk = SchemaWalk(
                    SchemaSpace(old: one.program, new: other.program), old: oldTexts, new: newTexts)
                let edits = walk.walk().filter { $0.rules != "annotation-changed" }
                isVisible = isVisible || !edits.isEmpty
                return !walk.ranOut && edits.allSatisfy { $0.rules == "discriminator-value-changed" }
                    && before.travel == after.travel
            }
            guard same.count == 1 else { continue }
            for direction in before.travel.directions {
                note(
                    isVisible ? "discriminator-value-changed" : "message-renamed", direction,
                    [before.name, same[0].name], old: location(before, oldTexts), new: location(same[0], newTexts),
                    oldValue: .string(before.name), newValue: .string(same[0].name),
                    witness: direction == .clientToServer ? unmatched(before, .old) : unmatched(same[0], .new))
            }
            gone.removeAll { $0.name == before.name }
            fresh.removeAll { $0.name == same[0].name }
        }
    }

    private mutating func removed(_ message: MessageSchemaSet.Message) {
        for direction in message.travel.directions {
            note(
                "message-removed", direction, [message.name], old: location(message, oldTexts),
                oldValue: .string(message.name), witness: direction == .clientToServer ? unmatched(message, .old) : nil)
        }
    }

    private mutating func added(_ message: MessageSchemaSet.Message) {
        for direction in message.travel.directions {
            let isIgnored = policy.ignoresUnknownMessages && direction == .serverToClient
            note(
                "message-added", direction, [message.name], new: location(message, newTexts),
                newValue: .string(message.name), severity: isIgnored ? .warning : nil,
                why: isIgnored ? "Old clients ignore messages of unknown types." : nil,
                witness: direction == .serverToClient ? unmatched(message, .new) : nil)
        }
    }

    /// A message of one version that no schema of the other accepts in the same direction; nil if none is found.
    private func unmatched(_ message: MessageSchemaSet.Message, _ version: GateWitness.Version) -> GateWitness? {
        let (own, others) = version == .old ? (old, new) : (new, old)
        guard let schema = own.schemas[message.name] else { return nil }
        let space = SchemaSpace(old: schema.program, new: schema.program)
        var solver = Solver(space, stepLimit: policy.stepLimit)
        let readers = others.messages.filter { $0.travel == message.travel }.compactMap { others.schemas[$0.name] }
        guard case .found(let value) = solver.solve([.holds(space.roots[0])]), schema.isValid(value),
            !readers.contains(where: { $0.isValid(value) })
        else { return nil }
        return GateWitness(
            message: message.name, json: value.text(), validBy: version, invalidBy: version == .old ? .new : .old,
            complaint: "this version does not know this message")
    }

    private func location(_ message: MessageSchemaSet.Message, _ texts: SchemaTexts) -> GateLocation {
        let parts = message.uri.split(separator: "#", maxSplits: 1, omittingEmptySubsequences: false)
        let pointer = parts.count > 1 ? JSONPointer(String(parts[1])) ?? JSONPointer() : JSONPointer()
        return texts.location(String(parts[0]), pointer)
    }

    /// One message whose edits are being judged.
    private struct Judging {
        let name: String
        let old: Schema
        let new: Schema
        let walk: SchemaWalk
        var proof: EditProof
        var errors: Set<GateDirection> = []
        /// The breaking edits with a lower severity than an error.
        var warnings: [GateDirection: [SchemaEdit]] = [:]
    }

    private mutating func compare(_ before: MessageSchemaSet.Message, _ after: MessageSchemaSet.Message) {
        guard let one = old.schemas[before.name], let other = new.schemas[after.name] else { return }
        let name = before.name
        let (oldLocation, newLocation) = (location(before, oldTexts), location(after, newTexts))
        if before.travel != after.travel {
            for direction in Set(before.travel.directions).union(after.travel.directions).sorted(by: {
                $0.rawValue < $1.rawValue
            }) {
                note(
                    "message-direction-changed", direction, [name], old: oldLocation, new: newLocation,
                    oldValue: .string(before.travel.rawValue), newValue: .string(after.travel.rawValue))
            }
        }
        if old.isUnchanged(name, in: new) { return }
        let space = SchemaSpace(old: one.program, new: other.program)
        var walk = SchemaWalk(space, old: oldTexts, new: newTexts)
        let edits = walk.walk()
        var judging = Judging(
            name: name, old: one, new: other, walk: walk,
            proof: EditProof(space, policy: policy))
        for edit in edits {
            let toServer = attributed(judging.proof.answer(edit, .clientToServer), edit, other, .clientToServer)
            let toClient = attributed(judging.proof.answer(edit, .serverToClient), edit, one, .serverToClient)
            for direction in before.travel.directions {
                let isForward = direction == .clientToServer
                report(edit, isForward ? toServer : toClient, isForward ? toClient : toServer, direction, &judging)
            }
        }
        if walk.ranOut, let rule = GateRule.schemaRule("not-proven") {
            for direction in after.travel.directions {
                note(
                    rule.id, direction, [name], old: oldLocation, new: newLocation,
                    why: "\(rule.why(direction)) The schemas are too large to look at every part of them.")
            }
        }
        guard space.colors[space.roots[0]] != space.colors[space.roots[1]] else { return }
        for direction in after.travel.directions where !judging.errors.contains(direction) {
            let edit = SchemaEdit(
                rules: "schema-changed", old: SchemaSite(node: space.roots[0]),
                new: SchemaSite(node: space.roots[1]), oldValue: nil, newValue: nil, paths: [[]])
            // A warning must not hide an edit without a finding.
            let answer = restOfProof(direction, judging) ?? judging.proof.answer(direction)
            let opposite = policy.meetsOldServers ? judging.proof.answer(direction.opposite) : .safe
            if answer.isSafe, opposite.isSafe { continue }
            report(edit, answer, opposite, direction, &judging)
        }
    }

    /// Whether a reader that accepts all that caused a warning still rejects something; nil without warnings.
    private func restOfProof(_ direction: GateDirection, _ judging: Judging) -> EditProof.Answer? {
        guard let warnings = judging.warnings[direction], !warnings.isEmpty else { return nil }
        var (old, new) = (judging.old.program, judging.new.program)
        for edit in warnings {
            let reader = edit.relaxing(direction == .clientToServer ? new : old, direction, in: judging.walk.space)
            guard let reader else { return .unproven("other differences are hidden by the ones already reported") }
            if direction == .clientToServer { new = reader } else { old = reader }
        }
        var proof = EditProof(SchemaSpace(old: old, new: new), policy: policy)
        return proof.answer(direction)
    }

    private mutating func report(
        _ edit: SchemaEdit, _ own: EditProof.Answer, _ opposite: EditProof.Answer, _ direction: GateDirection,
        _ judging: inout Judging
    ) {
        let isForward = direction == .clientToServer
        let (narrows, widens) = isForward ? (own.isBroken, opposite.isBroken) : (opposite.isBroken, own.isBroken)
        let id = narrows == widens ? edit.rules.both : narrows ? edit.rules.narrow : edit.rules.widen
        guard let rule = GateRule.schemaRule(id), let doubtful = GateRule.schemaRule("not-proven") else { return }
        var finding = GateFinding(
            rule: id, severity: rule.weight(direction).safe, direction: direction, messages: [judging.name],
            old: edit.old.map { judging.walk.location($0) }, new: edit.new.map { judging.walk.location($0) },
            oldValue: edit.oldValue, newValue: edit.newValue, why: rule.why(direction))
        func doubt(_ peer: GatePeer, _ reason: String = "") {
            finding.rule = doubtful.id
            finding.severity = .error
            let who = peer == .client ? doubtful.why(direction) : Self.doubtOfServers(direction)
            finding.why = "\(rule.title): \(who)\(reason)"
        }
        func unproven(_ reason: String) -> String { " \(reason.prefix(1).uppercased())\(reason.dropFirst())." }
        switch own {
        case .broken(let value):
            finding.severity = rule.weight(direction).broken
            if let shown = witness(value, edit, direction, isForward ? .old : .new, judging) {
                finding.witness = value.isOrdinary ? shown : nil
            } else {
                // A witness that the validator does not confirm is dropped.
                doubt(.client)
            }
            if finding.severity < .error { judging.warnings[direction, default: []].append(edit) }
        case .unproven(let reason): doubt(.client, unproven(reason))
        case .safe:
            // An edit that breaks no peer in either direction is a refactoring.
            guard
                opposite.isBroken || (policy.meetsOldServers && !opposite.isSafe) || edit.isFinding
                    || (edit.isNew && policy.unknownMembers == .ignored)
            else { return }
            if finding.severity == .information, id != "annotation-changed" {
                finding.why =
                    isForward
                    ? "Proved: new servers accept all that old clients send."
                    : "Proved: old clients accept all that new servers send."
            }
        }
        if finding.severity == .error { finding.breaks.formUnion(rule.broken(direction)) }
        if policy.meetsOldServers, let reason = meet(opposite, edit, direction, judging, &finding) {
            doubt(.server, unproven(reason))
            finding.breaks.insert(.server)
        }
        if finding.severity == .error { judging.errors.insert(direction) }
        note(finding)
    }

    /// An answer; safe if the reader accepts unknown members and rejects none that the edit concerns, because another
    /// edit then causes the rejection.
    private func attributed(
        _ answer: EditProof.Answer, _ edit: SchemaEdit, _ reader: Schema, _ direction: GateDirection
    ) -> EditProof.Answer {
        guard policy.unknownMembers == .ignored, case .broken(let value) = answer,
            !edit.isNamed(among: reader.violations(in: value), direction)
        else { return answer }
        return .safe
    }

    /// Adds the effect on old servers that meet new clients; returns the reason if unknown, unless there is an error.
    private func meet(
        _ answer: EditProof.Answer, _ edit: SchemaEdit, _ direction: GateDirection, _ judging: Judging,
        _ finding: inout GateFinding
    ) -> String? {
        let isForward = direction == .clientToServer
        switch answer {
        case .safe: return nil
        case .unproven(let reason): return finding.severity < .error ? reason : nil
        case .broken(let value):
            let shown = witness(value, edit, direction.opposite, isForward ? .new : .old, judging)
            if finding.severity < .error {
                guard let shown else { return "a value was built that the validator does not confirm" }
                finding.severity = .error
                finding.why =
                    isForward
                    ? "New clients may send messages that old servers reject."
                    : "Old servers may send messages that new clients reject."
                finding.witness = value.isOrdinary ? shown : nil
            }
            finding.breaks.insert(.server)
            return nil
        }
    }

    /// A value as a witness, if the validator confirms it on both sides.
    private func witness(
        _ value: JSONValue, _ edit: SchemaEdit, _ direction: GateDirection, _ writer: GateWitness.Version,
        _ judging: Judging
    ) -> GateWitness? {
        let (from, to) = writer == .old ? (judging.old, judging.new) : (judging.new, judging.old)
        guard from.isValid(value),
            let complaint = edit.complaint(among: to.violations(in: value), direction, in: judging.walk.space)
        else { return nil }
        return GateWitness(
            message: judging.name, json: value.text(), validBy: writer, invalidBy: writer == .old ? .new : .old,
            complaint: complaint.description)
    }

    private static func doubtOfServers(_ direction: GateDirection) -> String {
        direction == .clientToServer
            ? "Whether old servers accept all that new clients send is not known."
            : "Whether new clients accept all that old servers send is not known."
    }
}
