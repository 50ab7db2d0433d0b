import Holdfast
import JSON
import SchemaDiff

/// What the comparison of schemas means for a version: who breaks, and how much the version has to rise.
struct SchemaEntries {
    /// What both versions promise about what a reader does not know: members and types alike are ignored (chapter 8.1).
    static let policy: ComparisonPolicy = {
        var policy = ComparisonPolicy.holdfast
        policy.ignoresUnknownMessages = true
        return policy
    }()

    private let old: SpecificationFiles
    private let new: SpecificationFiles

    /// Compares the message schemas of two states, with and without what profiles add.
    /// - Throws: Every schema that cannot be used.
    static func entries(_ old: ProtocolState, _ new: ProtocolState) throws(InputProblems) -> [GateEntry] {
        let schemas = SchemaEntries(old: old.specification.files, new: new.specification.files)
        guard schemas.differ else { return [] }
        let plain = try schemas.findings(for: [])
        var known = Set(plain.map { Edit($0, $0.direction) })
        var entries = try schemas.entries(plain, for: [])
        for profile in Profile.allCases where schemas.mentions(profile) {
            let found = try schemas.findings(for: [profile])
            let own = found.filter { known.insert(Edit($0, $0.direction)).inserted }
            entries += try schemas.entries(own, for: [profile])
        }
        return entries
    }

    /// One edit, whichever profile it is seen under, and without a direction whichever way it is looked at.
    private struct Edit: Hashable {
        let rule: String
        let direction: GateDirection?
        let places: [String?]

        init(_ finding: GateFinding, _ direction: GateDirection? = nil) {
            rule = finding.rule
            self.direction = direction
            places = [finding.old?.pointerText, finding.new?.pointerText]
        }
    }

    /// Whether any schema of a message differs at all.
    private var differ: Bool {
        func schemas(_ files: SpecificationFiles) -> [String: String] {
            files.texts.filter { $0.key.hasPrefix("schemas/") && !$0.key.hasPrefix("schemas/files/") }
        }
        return schemas(old) != schemas(new)
    }

    private func mentions(_ profile: Profile) -> Bool {
        [old, new].contains { files in
            files.texts.contains { $0.key.hasPrefix("schemas/") && $0.value.contains("\"\(profile.rawValue)\"") }
        }
    }

    private func findings(
        for profiles: Set<Profile>, travelling travel: (MessageTravel) -> MessageTravel = { $0 }
    ) throws(InputProblems) -> [GateFinding] {
        let before = try MessageSchemaSet(old, profiles: profiles)
        let after = try MessageSchemaSet(new, profiles: profiles)
        return compareSchemas(
            old: try before.turned(travel, profiles), new: try after.turned(travel, profiles), policy: Self.policy)
    }

    private func entries(
        _ findings: [GateFinding], for profiles: Set<Profile>
    ) throws(InputProblems) -> [GateEntry] {
        guard !findings.isEmpty else { return [] }
        // Seen as if their senders were asked: what a server of before sends, and no reader of the new version accepts.
        let narrowed = Set(
            try self.findings(for: profiles, travelling: { $0 == .serverToClient ? .clientToServer : $0 })
                .filter { $0.severity == .error }.map { Edit($0) })
        return findings.map { finding in
            let isNarrowed =
                finding.direction == .serverToClient && finding.severity == .information
                && narrowed.contains(Edit(finding))
            return entry(finding, isNarrowed: isNarrowed, profile: profiles.first)
        }
    }

    private func entry(_ finding: GateFinding, isNarrowed: Bool, profile: Profile?) -> GateEntry {
        let servers = GateParty(.server, profile: profile?.rawValue)
        if isNarrowed {
            var told = finding
            told.severity = .error
            told.why = """
                \(finding.reason); but what \(servers) could send before is not allowed any more (chapter 8.2: breaking \
                for the sender)
                """
            return GateEntry(told, breaks: [servers], subjects: Self.subjects(told))
        }
        if finding.severity == .information, Self.explainsOnly.contains(finding.rule) {
            return GateEntry(finding, rise: .patch)
        }
        let breaks = finding.direction == nil ? [servers, GateParty(.client)] : [GateParty(.client)]
        return GateEntry(
            finding, breaks: finding.severity == .error ? breaks : [], subjects: Self.subjects(finding))
    }

    /// What a changelog calls an edit by: the message it was made in, then those that it reaches.
    private static func subjects(_ finding: GateFinding) -> [String] {
        let file = (finding.new ?? finding.old)?.file.split(separator: "/").last ?? ""
        return finding.messages.filter { file == "\($0).json" } + finding.messages.filter { file != "\($0).json" }
    }

    /// Rules about what schemas say to people.
    static let explainsOnly: Set<String> = ["annotation-changed", "reference-changed"]
}

extension MessageSchemaSet {
    /// The same schemas, seen as if their messages travelled another way.
    fileprivate func turned(
        _ travel: (MessageTravel) -> MessageTravel, _ profiles: Set<Profile>
    ) throws(InputProblems) -> MessageSchemaSet {
        let turned = messages.map { Message(name: $0.name, travel: travel($0.travel), uri: $0.uri) }
        guard turned.map(\.travel) != messages.map(\.travel) else { return self }
        return try MessageSchemaSet(documents: documents, messages: turned, profiles: profiles)
    }
}
