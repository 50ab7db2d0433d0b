import JSON
import JSONSchema

/// One comparison of two sets of messages, while it runs.
struct SchemaComparison {
    let old: MessageSchemaSet
    let new: MessageSchemaSet
    let policy: ComparisonPolicy
    private let oldTexts: SchemaTexts
    private let newTexts: SchemaTexts
    private var drafts: [[String]: FindingDraft] = [:]
    private var order: [[String]] = []

    init(old: MessageSchemaSet, new: MessageSchemaSet, policy: ComparisonPolicy) {
        self.old = old
        self.new = new
        self.policy = policy
        oldTexts = SchemaTexts(old)
        newTexts = SchemaTexts(new)
    }

    /// One finding, as long as messages are still added to it.
    struct FindingDraft {
        var rule: GateRule
        var severity: GateSeverity
        var direction: GateDirection?
        var messages: Set<String> = []
        var old: GatePlace?
        var new: GatePlace?
        var oldValue: JSONValue?
        var newValue: JSONValue?
        var why: String
        var witness: GateWitness?
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
        return order.compactMap { drafts[$0] }.map { draft in
            GateFinding(
                rule: draft.rule.id, severity: draft.severity, direction: draft.direction,
                messages: Array(draft.messages.filter { $0 != MessageSchemaSet.every || draft.messages.count == 1 }),
                old: draft.old, new: draft.new, oldValue: draft.oldValue, newValue: draft.newValue, why: draft.why,
                witness: draft.witness)
        }.sorted(by: GateFinding.comesFirst)
    }

    /// Takes a finding, or adds a message to the one that says the same.
    mutating func note(_ draft: FindingDraft) {
        let key = [
            draft.rule.id, draft.direction?.rawValue ?? "", draft.old?.pointerText ?? "", draft.new?.pointerText ?? "",
            draft.oldValue?.text(sortedKeys: true) ?? "", draft.newValue?.text(sortedKeys: true) ?? "",
        ]
        guard var known = drafts[key] else {
            drafts[key] = draft
            order.append(key)
            return
        }
        known.messages.formUnion(draft.messages)
        if draft.severity > known.severity {
            known.severity = draft.severity
            known.why = draft.why
        }
        // The shortest message shows it best.
        let witnesses = [known.witness, draft.witness].compactMap(\.self)
        known.witness = witnesses.min { $0.json.utf8.count < $1.json.utf8.count }
        drafts[key] = known
    }

    // MARK: Documents

    private mutating func compareDocuments() {
        for place in new.unknownKeywords
        where !old.unknownKeywords.contains(where: { $0.pointerText == place.pointerText }) {
            decree(
                "unknown-keyword", old: nil, new: place, oldValue: nil, newValue: .string(place.pointer.lastToken ?? "")
            )
        }
        for document in new.documents {
            guard let before = old.roots[document.file], let after = new.roots[document.file],
                let uri = old.documents.first(where: { $0.file == document.file })?.uri
            else { continue }
            for (keyword, rule) in [
                ("$id", "schema-id-changed"), ("$schema", "dialect-changed"), ("$vocabulary", "dialect-changed"),
            ] where before[keyword] != after[keyword] {
                let pointer = JSONPointer(tokens: [keyword])
                decree(
                    rule, old: oldTexts.place(uri, pointer), new: newTexts.place(document.uri, pointer),
                    oldValue: before[keyword], newValue: after[keyword])
            }
        }
    }

    /// A finding that concerns everything that travels.
    private mutating func decree(
        _ id: String, old: GatePlace?, new: GatePlace?, oldValue: JSONValue?, newValue: JSONValue?
    ) {
        guard let rule = GateRule.schemaRule(id) else { return }
        note(
            FindingDraft(
                rule: rule, severity: rule.toServer.broken, direction: nil, old: old, new: new, oldValue: oldValue,
                newValue: newValue, why: rule.whyToServer))
    }

    // MARK: Messages

    /// A message whose schema is the same but for the name of its kind has another name.
    private mutating func rename(_ gone: inout [MessageSchemaSet.Message], _ fresh: inout [MessageSchemaSet.Message]) {
        for before in gone {
            let same = fresh.filter { after in
                guard let one = old.schemas[before.name], let other = new.schemas[after.name] else { return false }
                var walk = SchemaWalk(
                    SchemaSpace(writer: one.program, reader: other.program), old: oldTexts, new: newTexts)
                let edits = walk.walk().filter { $0.narrowRule != "annotation-changed" }
                return !walk.ranOut && edits.allSatisfy { $0.narrowRule == "discriminator-value-changed" }
                    && before.travel == after.travel
            }
            guard same.count == 1, let rule = GateRule.schemaRule("discriminator-value-changed") else { continue }
            for direction in before.travel.directions {
                let witness = alone(
                    direction == .clientToServer ? before : same[0], direction == .clientToServer ? .old : .new)
                note(
                    FindingDraft(
                        rule: rule, severity: rule.weight(direction).broken, direction: direction,
                        messages: [before.name, same[0].name], old: place(before, oldTexts),
                        new: place(same[0], newTexts),
                        oldValue: .string(before.name), newValue: .string(same[0].name), why: rule.why(direction),
                        witness: witness))
            }
            gone.removeAll { $0.name == before.name }
            fresh.removeAll { $0.name == same[0].name }
        }
    }

    private mutating func removed(_ message: MessageSchemaSet.Message) {
        guard let rule = GateRule.schemaRule("message-removed") else { return }
        for direction in message.travel.directions {
            note(
                FindingDraft(
                    rule: rule, severity: rule.weight(direction).broken, direction: direction, messages: [message.name],
                    old: place(message, oldTexts), oldValue: .string(message.name), why: rule.why(direction),
                    witness: direction == .clientToServer ? alone(message, .old) : nil))
        }
    }

    private mutating func added(_ message: MessageSchemaSet.Message) {
        guard let rule = GateRule.schemaRule("message-added") else { return }
        for direction in message.travel.directions {
            let isIgnored = policy.ignoresUnknownMessages && direction == .serverToClient
            note(
                FindingDraft(
                    rule: rule, severity: isIgnored ? .warning : rule.weight(direction).broken, direction: direction,
                    messages: [message.name], new: place(message, newTexts), newValue: .string(message.name),
                    why: isIgnored ? "Old clients ignore kinds that they do not know." : rule.why(direction),
                    witness: direction == .serverToClient ? alone(message, .new) : nil))
        }
    }

    /// A message of one version that no schema of the other version accepts.
    private func alone(_ message: MessageSchemaSet.Message, _ version: GateWitness.Version) -> GateWitness? {
        let (own, others) = version == .old ? (old, new) : (new, old)
        guard let schema = own.schemas[message.name] else { return nil }
        let space = SchemaSpace(writer: schema.program, reader: schema.program)
        var solver = Solver(space, stepLimit: policy.stepLimit)
        let readers = others.messages.filter {
            $0.travel == message.travel && $0.name != MessageSchemaSet.every
        }.compactMap { others.schemas[$0.name] }
        guard case .found(let value) = solver.solve([.holds(space.roots[0])]), schema.isValid(value),
            !readers.contains(where: { $0.isValid(value) })
        else { return nil }
        return GateWitness(
            message: message.name, json: value.text(), validBy: version, invalidBy: version == .old ? .new : .old,
            complaint: "it is no message that this version knows")
    }

    private func place(_ message: MessageSchemaSet.Message, _ texts: SchemaTexts) -> GatePlace {
        let parts = message.uri.split(separator: "#", maxSplits: 1, omittingEmptySubsequences: false)
        let pointer = parts.count > 1 ? JSONPointer(String(parts[1])) ?? JSONPointer() : JSONPointer()
        return texts.place(String(parts[0]), pointer)
    }

    private mutating func compare(_ before: MessageSchemaSet.Message, _ after: MessageSchemaSet.Message) {
        guard let one = old.schemas[before.name], let other = new.schemas[after.name] else { return }
        if before.travel != after.travel, let rule = GateRule.schemaRule("message-direction-changed") {
            for direction in Set(before.travel.directions).union(after.travel.directions).sorted(by: {
                $0.rawValue < $1.rawValue
            }) {
                note(
                    FindingDraft(
                        rule: rule, severity: rule.weight(direction).broken, direction: direction,
                        messages: [before.name],
                        old: place(before, oldTexts), new: place(after, newTexts),
                        oldValue: .string(before.travel.rawValue), newValue: .string(after.travel.rawValue),
                        why: rule.why(direction)))
            }
        }
        if old.reads(before.name, as: new) { return }
        if before.name == MessageSchemaSet.every, sayTheSameBesideAlternatives() { return }
        let forward = SchemaSpace(writer: one.program, reader: other.program)
        let backward = SchemaSpace(writer: other.program, reader: one.program)
        var walk = SchemaWalk(forward, old: oldTexts, new: newTexts)
        var edits = walk.walk()
        if before.name == MessageSchemaSet.every {
            // The alternatives were compared one by one, under their own names.
            edits = edits.filter { edit in !Self.belongsToAlternatives(edit) }
        }
        var proof = EditProof(
            forward: forward, backward: backward, oldCount: one.program.nodes.count, policy: policy)
        var told = Told()
        for edit in edits { judge(edit, before, walk, &proof, one, other, &told) }
        if walk.ranOut, let rule = GateRule.schemaRule("not-proven") {
            for direction in after.travel.directions {
                note(
                    FindingDraft(
                        rule: rule, severity: .error, direction: direction, messages: [before.name],
                        old: place(before, oldTexts), new: place(after, newTexts),
                        why: "\(rule.why(direction)) The schemas are too large to look at every part of them."))
            }
        }
        guard before.name != MessageSchemaSet.every else { return }
        for direction in after.travel.directions where !told.errors.contains(direction) {
            guard forward.colors[forward.roots[0]] != forward.colors[forward.roots[1]] else { continue }
            var edit = SchemaEdit(
                "schema-changed", old: SchemaEdit.Site(node: forward.roots[0], tokens: []),
                new: SchemaEdit.Site(node: forward.roots[1], tokens: []))
            edit.paths = [[]]
            // What was told as a warning must not hide what nothing told.
            let answer = restOfProof(direction, beside: told, one, other, forward) ?? proof.answer(direction)
            if case .safe = answer { continue }
            report(edit, answer, .safe, direction, before, walk, one, other, &told)
        }
    }

    /// What was told about a message already.
    private struct Told {
        /// The directions in which there is an error.
        var errors: Set<GateDirection> = []
        /// The edits that break somebody and weigh less than an error.
        var warnings: [GateDirection: [SchemaEdit]] = [:]
    }

    /// Whether a reader who takes what was warned of refuses anything else; nil when nothing was warned of.
    private func restOfProof(
        _ direction: GateDirection, beside told: Told, _ one: Schema, _ other: Schema, _ space: SchemaSpace
    ) -> EditProof.Answer? {
        guard let warnings = told.warnings[direction], !warnings.isEmpty else { return nil }
        let isForward = direction == .clientToServer
        var reader: Program? = isForward ? other.program : one.program
        for edit in warnings { reader = reader.flatMap { edit.tolerated(by: $0, direction, in: space) } }
        guard let reader else { return .unproven("what else there is cannot be told from what was warned of") }
        let old = isForward ? one.program : reader
        let new = isForward ? reader : other.program
        var proof = EditProof(
            forward: SchemaSpace(writer: old, reader: new), backward: SchemaSpace(writer: new, reader: old),
            oldCount: old.nodes.count, policy: policy)
        return proof.answer(direction)
    }

    /// Whether what stands beside the alternatives at the root of a schema is the same in both versions.
    private func sayTheSameBesideAlternatives() -> Bool {
        func rest(_ set: MessageSchemaSet) -> [String: JSONObject] {
            set.roots.compactMapValues { root in
                var object = root.objectValue
                for keyword in ["oneOf", "anyOf", "$defs", "$id", "$schema"] { object?[keyword] = nil }
                return object
            }
        }
        return rest(old) == rest(new)
    }

    /// Whether an edit lies in the alternatives at the root of a schema.
    private static func belongsToAlternatives(_ edit: SchemaEdit) -> Bool {
        if edit.narrowRule == "branch-added" || edit.narrowRule == "branch-removed" {
            return edit.paths.contains { $0.isEmpty }
        }
        return edit.paths.allSatisfy { path in
            if case .inPlace = path.first { true } else { false }
        }
    }

    private mutating func judge(
        _ edit: SchemaEdit, _ message: MessageSchemaSet.Message, _ walk: SchemaWalk, _ proof: inout EditProof,
        _ one: Schema, _ other: Schema, _ told: inout Told
    ) {
        let toServer = proof.answer(edit, .clientToServer)
        let toClient = proof.answer(edit, .serverToClient)
        for direction in message.travel.directions {
            let (own, opposite) = direction == .clientToServer ? (toServer, toClient) : (toClient, toServer)
            report(edit, own, opposite, direction, message, walk, one, other, &told)
        }
    }

    private mutating func report(
        _ edit: SchemaEdit, _ own: EditProof.Answer, _ opposite: EditProof.Answer, _ direction: GateDirection,
        _ message: MessageSchemaSet.Message, _ walk: SchemaWalk, _ one: Schema, _ other: Schema,
        _ told: inout Told
    ) {
        let (narrows, widens) =
            direction == .clientToServer ? (own.isBroken, opposite.isBroken) : (opposite.isBroken, own.isBroken)
        let id = narrows && widens ? edit.bothRule : narrows ? edit.narrowRule : widens ? edit.widenRule : edit.bothRule
        guard let rule = GateRule.schemaRule(id), let doubtful = GateRule.schemaRule("not-proven") else { return }
        var draft = FindingDraft(
            rule: rule, severity: rule.weight(direction).safe, direction: direction, messages: [message.name],
            old: edit.old.map { walk.place($0) }, new: edit.new.map { walk.place($0) }, oldValue: edit.oldValue,
            newValue: edit.newValue, why: rule.why(direction))
        switch own {
        case .broken(let value):
            draft.severity = rule.weight(direction).broken
            if edit.isExtensible, draft.severity == .error {
                draft.severity = .warning
                draft.why = "Old clients were told to expect values that they do not know."
            }
            let isForward = direction == .clientToServer
            let (writer, reader) = isForward ? (one, other) : (other, one)
            if writer.isValid(value),
                let complaint = edit.complaint(among: reader.violations(in: value), direction, in: walk.space)
            {
                draft.witness = GateWitness(
                    message: message.name, json: value.text(), validBy: isForward ? .old : .new,
                    invalidBy: isForward ? .new : .old, complaint: complaint.description)
            } else {
                // What the validator does not confirm is not shown.
                draft.rule = doubtful
                draft.severity = .error
                draft.why = "\(rule.title): \(doubtful.why(direction))"
            }
            if draft.severity == .error {
                told.errors.insert(direction)
            } else {
                told.warnings[direction, default: []].append(edit)
            }
        case .unproven(let reason):
            told.errors.insert(direction)
            draft.rule = doubtful
            draft.severity = .error
            draft.why = "\(rule.title): \(doubtful.why(direction)) \(Self.sentence(reason))"
        case .safe:
            // What breaks nobody, either way, is another way to say the same.
            guard opposite.isBroken || edit.isDecreed || (edit.isNews && policy.unknownMembers == .ignored) else {
                return
            }
            if draft.severity == .information, draft.rule.id != "annotation-changed" {
                draft.why = Self.reassurance(direction)
            }
        }
        note(draft)
    }

    private static func reassurance(_ direction: GateDirection) -> String {
        direction == .clientToServer
            ? "Proved: new servers accept all that old clients send."
            : "Proved: old clients accept all that new servers send."
    }

    private static func sentence(_ reason: String) -> String {
        (reason.first.map { $0.uppercased() } ?? "") + reason.dropFirst() + "."
    }
}

extension EditProof.Answer {
    /// Whether there is a message that shows a break.
    var isBroken: Bool {
        if case .broken = self { true } else { false }
    }
}
