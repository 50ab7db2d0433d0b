import HoldfastBasics
import HoldfastJSON

extension Dialect {
    /// Reads a dialect file.
    /// - Parameters:
    ///   - text: The contents of the file.
    ///   - file: Its name in problems.
    /// - Throws: All problems of the file, with lines.
    public init(_ text: String, file: String) throws(InputProblems) {
        self = try Dialect(text, file: file, isSound: false)
    }

    init(_ text: String, file: String, isSound: Bool) throws(InputProblems) {
        self = try MemberReader.read(
            Array(text.utf8), file: file, schema: .dialect, isSound: isSound, expected: "a dialect file"
        ) { Dialect(reading: $0) }
    }

    /// Reads a dialect that is included in another file.
    /// - Parameters:
    ///   - value: The contents of the dialect file.
    ///   - location: Its place in problems.
    /// - Throws: All problems.
    public init(_ value: JSONValue, at location: String) throws(InputProblems) {
        self = try MemberReader.read(value, at: location, schema: .dialect) { Dialect(reading: $0) }
    }

    private init(reading reader: MemberReader) {
        let socket = reader.members("socket")
        name = reader.text("name")
        summary = reader.text("summary")
        profiles = Self.profiles(reader)
        socketPath = socket?.string("path")
        credential = socket?.members("credential").map(Self.credential) ?? .none
        greeting = reader.members("greeting").map(Self.greeting) ?? .client
        typeLocation = reader.string("typeAt").flatMap(MemberMapReader.location) ?? Self.defaultTypeLocation
        frameRules = FrameRules(FrameRuleReader.rules(in: reader))
        restRules = reader.members("rest").map(RESTRulesReader.rules) ?? RESTRules()
        unkeepable = Self.unkeepable(reader)
        turns = reader.choice("turns", of: Series.self)
        source = .object(reader.object)
        if reader.collector.isClean { rejectUnmappedProfiles(reader) }
    }

    private static func profiles(_ reader: MemberReader) -> Set<Profile> {
        var profiles: Set<Profile> = []
        for (profile, pointer) in reader.choices("profiles", of: Profile.self) {
            if profile.role == .server {
                profiles.insert(profile)
            } else {
                reader.collector.note(
                    pointer, "'\(profile.rawValue)' is a profile of clients", expected: "profiles of servers",
                    fix: "remove it")
            }
        }
        reader.noteNeeds(of: profiles)
        return profiles
    }

    private static func unkeepable(_ reader: MemberReader) -> [ClauseID: [Limitation]] {
        var reasons: [ClauseID: [Limitation]] = [:]
        for entry in reader.objects("cannotKeep") {
            func set(_ key: String) -> Set<String> { Set((entry.strings(key) ?? []).map(\.text)) }
            let limitation = Limitation(entry.text("because"), frames: set("frames"), members: set("members"))
            for clause in entry.strings("clauses") ?? [] {
                guard let id = ClauseID(clause.text) else {
                    reader.collector.note(
                        clause.pointer, "'\(excerpt(clause.text))' is not a clause", expected: "an id such as ENV-3",
                        fix: "see 'conformance list'")
                    continue
                }
                if reasons[id]?.contains(where: { $0.members == limitation.members }) == true {
                    reader.collector.note(
                        clause.pointer, "\(id) already has a reason", expected: "each clause once for the same members",
                        fix: "remove one of them")
                }
                reasons[id, default: []].append(limitation)
            }
        }
        return reasons
    }

    private static func credential(_ reader: MemberReader) -> CredentialLocation {
        let kind = reader.text("in")
        if ["query", "header"].contains(kind), reader.value("name") == nil { let _: Never? = reader.lacking("name") }
        switch kind {
        case "frame": return .frame
        case "query": return .query(reader.text("name"))
        case "header": return .header(reader.text("name").lowercased(), prefix: reader.text("prefix"))
        case "none": return .none
        default: return reader.wrong("in", .string(kind), "frame, header, none, query") ?? .none
        }
    }

    private static func greeting(_ reader: MemberReader) -> Greeting {
        func frame(_ key: String) -> JSONValue { reader.value(key) ?? reader.lacking(key) ?? .null }
        switch reader.text("opens") {
        case "server": return .challenge(frame("challenge"))
        case "nobody":
            let assumed = frame("assumed")
            if assumed["type"] != "connected", reader.value("assumed") != nil {
                let _: Never? = reader.wrong("assumed", assumed, "a frame of type 'connected'")
            }
            return .nobody(assumed: assumed)
        default: return .client
        }
    }

    /// Rejects profiles whose frames no rule maps, since they could never be tested.
    private func rejectUnmappedProfiles(_ reader: MemberReader) {
        let needed: [(Profile, Role, [String])] = [
            (.core, .client, ["chat"]), (.core, .server, ["done", "error"]), (.sync, .client, ["sync"]),
            (.sync, .server, ["syncResult"]),
        ]
        for (profile, sender, types) in needed where profiles.contains(profile) {
            for type in types where frameRules.expressing(type, sentBy: sender).isEmpty {
                reader.collector.note(
                    JSONPointer(tokens: ["profiles"]), "'\(profile.rawValue)' needs '\(type)', and no rule maps to it",
                    expected: "a rule with \"is\": \"\(type)\" in frames", fix: "add it, or remove the profile")
            }
        }
        var isGreeted = frameRules.all.contains { $0.canonicalType == "connected" }
        if case .nobody = greeting { isGreeted = true }
        if !isGreeted {
            reader.collector.note(
                JSONPointer(tokens: ["greeting"]), "no rule maps to 'connected'",
                expected: "a rule with \"is\": \"connected\" in frames, or a greeting without a frame",
                fix: "add one of them")
        }
    }
}
