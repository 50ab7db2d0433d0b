import Holdfast
import HoldfastJSON
import HoldfastSchemaDiff

/// The meaning of schema differences for a version: the peers that break, and the required version bump.
struct SchemaEntries {
    /// The promise of both versions about unknown parts: members and types alike are ignored (chapter 8.1).
    static let policy: ComparisonPolicy = {
        var policy = ComparisonPolicy.holdfast
        policy.ignoresUnknownMessages = true
        return policy
    }()

    private let old: SpecificationFiles
    private let new: SpecificationFiles

    /// Compares the message schemas of two states under every set of profiles in the schemas.
    ///
    /// A break under one set of profiles is reported with that set; a proof needs all sets.
    /// - Throws: Every schema that is not usable.
    static func entries(_ old: ProtocolState, _ new: ProtocolState) throws(InputProblems) -> [GateEntry] {
        let schemas = SchemaEntries(old: old.specification.files, new: new.specification.files)
        guard schemas.differ else { return [] }
        var order: [Edit] = []
        var worst: [Edit: (finding: GateFinding, profiles: Set<Profile>)] = [:]
        for profiles in Profile.allCases.filter({ $0.needed != nil && schemas.mentions($0) }).subsets {
            for finding in try schemas.findings(for: profiles) {
                let finding = schemas.atDefinition(finding)
                let edit = Edit(finding)
                guard let known = worst[edit] else {
                    order.append(edit)
                    worst[edit] = (finding, profiles)
                    continue
                }
                var merged = finding.severity > known.finding.severity ? finding : known.finding
                merged.breaks = known.finding.breaks.union(finding.breaks)
                merged.messages = Set(known.finding.messages + finding.messages).sorted()
                worst[edit] = (merged, finding.severity > known.finding.severity ? profiles : known.profiles)
            }
        }
        return order.compactMap { edit in worst[edit].map { entry($0.finding, $0.profiles) } }
    }

    /// Identifies an edit across sets of profiles, even if different things are proved about it.
    private struct Edit: Hashable {
        let direction: GateDirection?
        let locations: [String?]
        let values: [JSONValue?]

        init(_ finding: GateFinding) {
            direction = finding.direction
            locations = [finding.old?.pointerText, finding.new?.pointerText]
            values = [finding.oldValue, finding.newValue]
        }
    }

    private var differ: Bool {
        func schemas(_ files: SpecificationFiles) -> [String: String] {
            files.texts.filter { $0.key.hasPrefix("schemas/") && !$0.key.hasPrefix("schemas/files/") }
        }
        return schemas(old) != schemas(new)
    }

    /// The schemas in which profiles make a difference, and those that refer to them, in either state.
    private var filesOfProfiles: Set<String> {
        let texts = [old, new].flatMap { files in files.texts.filter { $0.key.hasPrefix("schemas/") } }
        var found = Set(texts.filter { $0.value.contains("\"x-profiles\"") }.map(\.key))
        var count = -1
        while count != found.count {
            count = found.count
            let names = found.compactMap { $0.split(separator: "/").last }
            found.formUnion(texts.filter { text in names.contains { text.value.contains("\($0)") } }.map(\.key))
        }
        return found
    }

    private func mentions(_ profile: Profile) -> Bool {
        [old, new].contains { files in
            files.texts.contains {
                $0.key.hasPrefix("schemas/") && !$0.key.hasPrefix("schemas/files/")
                    && $0.value.contains("\"\(profile.rawValue)\"") && $0.value.contains("\"x-profiles\"")
            }
        }
    }

    private func findings(for profiles: Set<Profile>) throws(InputProblems) -> [GateFinding] {
        let only = profiles.isEmpty ? nil : filesOfProfiles
        // Every valid set contains the profiles that the others require.
        let profiles = profiles.union(Role.allCases.map(Profile.base))
        return compareSchemas(
            old: try MessageSchemaSet(old, profiles: profiles, only: only),
            new: try MessageSchemaSet(new, profiles: profiles, only: only), policy: Self.policy)
    }

    /// An addition to or removal from a shared definition is one edit, wherever the definition is used.
    private func atDefinition(_ finding: GateFinding) -> GateFinding {
        func definition(of keyword: GateLocation?, at location: GateLocation?, in files: SpecificationFiles)
            -> GateLocation?
        {
            guard let keyword, let location, let root = files.json(location.file),
                let reference = root[location.pointer]?["$ref"]?.stringValue
            else { return nil }
            let parts = reference.split(separator: "#", maxSplits: 1, omittingEmptySubsequences: false)
            let file = parts[0].split(separator: "/").last ?? location.file.split(separator: "/").last
            guard let pointer = JSONPointer(parts.count > 1 ? String(parts[1]) : ""),
                file == keyword.file.split(separator: "/").last,
                keyword.pointer.tokens.starts(with: pointer.tokens)
            else { return nil }
            return GateLocation(file: keyword.file, pointer: pointer, in: files.texts[keyword.file])
        }
        var finding = finding
        if finding.newValue == nil, let new = definition(of: finding.old, at: finding.new, in: new) {
            finding.new = new
        } else if finding.oldValue == nil, let old = definition(of: finding.new, at: finding.old, in: old) {
            finding.old = old
        }
        return finding
    }

    private static func entry(_ finding: GateFinding, _ profiles: Set<Profile>) -> GateEntry {
        if finding.severity < .error, explainsOnly.contains(finding.rule) { return GateEntry(finding, bump: .patch) }
        let breaks = finding.breaks.flatMap { peer -> [GateParty] in
            // Only servers declare the contents of their frames; clients read the frames of all.
            peer == .server && !profiles.isEmpty
                ? profiles.map { GateParty(.server, profile: $0.rawValue) } : [GateParty(peer)]
        }
        return GateEntry(finding, breaks: breaks, subjects: subjects(finding))
    }

    /// The names of an edit in a changelog: its message, the messages it affects, its member or definition.
    private static func subjects(_ finding: GateFinding) -> [String] {
        let location = finding.new ?? finding.old
        let file = location?.file.split(separator: "/").last ?? ""
        let tokens = location?.pointer.tokens ?? []
        let names = zip(tokens, tokens.dropFirst()).filter { $0.0 == "properties" || $0.0 == "$defs" }.map(\.1)
        return finding.messages.filter { file == "\($0).json" }
            + names.reversed() + finding.messages.filter { file != "\($0).json" }
    }

    /// Rules about parts of schemas that are read only by people, or by references.
    static let explainsOnly: Set<String> = [
        "annotation-changed", "schema-id-changed", "message-renamed",
    ]
}

extension [Profile] {
    /// All subsets, small ones first; of more than four profiles, only the empty set, single ones, and the full set.
    fileprivate var subsets: [Set<Profile>] {
        guard count <= 4 else { return [[]] + map { [$0] } + [Set(self)] }
        return (0..<(1 << count)).map { bits in Set(indices.filter { bits >> $0 & 1 == 1 }.map { self[$0] }) }
            .sorted { ($0.count, $0.min() ?? .core) < ($1.count, $1.min() ?? .core) }
    }
}
