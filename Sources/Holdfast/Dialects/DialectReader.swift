import JSON

extension Dialect {
    /// Reads a dialect file.
    /// - Parameters:
    ///   - text: The file.
    ///   - file: Its name, as problems show it.
    /// - Throws: Every problem of the file at once, each with its line.
    public init(_ text: String, file: String) throws(InputProblems) {
        self = try MemberReader.read(Array(text.utf8), file: file, expected: "a dialect file") { Dialect(reading: $0) }
    }

    /// Reads a dialect that travelled inside another file.
    /// - Parameters:
    ///   - value: What the dialect file holds.
    ///   - place: Where it was found, as problems show it.
    /// - Throws: Every problem at once.
    public init(_ value: JSONValue, at place: String) throws(InputProblems) {
        self = try MemberReader.read(value, at: place) { Dialect(reading: $0) }
    }

    private init?(reading reader: MemberReader) {
        reader.refuseUnknown(
            besides: ["name", "summary", "profiles", "socket", "greeting", "typeAt", "frames", "rest", "cannotKeep"])
        let name = reader.string("name", required: true)
        if let name, !Self.isName(name) {
            let _: Never? = reader.wrong("name", .string(name), "lowercase letters, digits and '-', not 'canonical'")
        }
        let summary = reader.string("summary", required: true)
        profiles = Self.profiles(reader)
        let socket = reader.members("socket", required: true)
        socket?.refuseUnknown(besides: ["path", "credential"])
        socketPath = socket.flatMap(Self.path)
        credential = socket?.members("credential", required: true).flatMap(Self.credential) ?? .none
        greeting = reader.members("greeting", required: true).flatMap(Self.greeting) ?? .client
        typePlace =
            reader.string("typeAt").flatMap {
                MemberMapReader.place($0, at: JSONPointer(tokens: ["typeAt"]), into: reader.collector)
            } ?? Self.usualTypePlace
        frameRules = FrameRules(FrameRuleReader.rules(in: reader))
        restRules = reader.members("rest").map(RESTRulesReader.rules) ?? RESTRules()
        unkeepable = Self.unkeepable(reader)
        guard let name, let summary else { return nil }
        self.name = name
        self.summary = summary
        source = .object(reader.object)
        refuseGaps(reader)
    }

    /// Whether a text can name a dialect.
    public static func isName(_ text: String) -> Bool {
        let isPlain = text.utf8.allSatisfy { byte in
            (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte)
                || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) || byte == UInt8(ascii: "-")
        }
        return isPlain && text.first?.isLetter == true && text != "canonical"
    }

    private static func profiles(_ reader: MemberReader) -> Set<Profile> {
        var profiles: Set<Profile> = []
        for element in reader.strings("profiles", required: true) ?? [] {
            guard
                let profile = reader.choice(element.text, of: Profile.self, called: "profile", at: element.pointer)
            else { continue }
            if profile.role == .server {
                profiles.insert(profile)
            } else {
                reader.collector.note(
                    element.pointer, "'\(profile.rawValue)' is a profile of clients", expected: "profiles of servers",
                    fix: "remove it")
            }
        }
        reader.noteNeeds(of: profiles)
        return profiles
    }

    private static func unkeepable(_ reader: MemberReader) -> [ClauseID: String] {
        var reasons: [ClauseID: String] = [:]
        for element in reader.array("cannotKeep") ?? [] {
            guard let own = MemberReader(element.value, at: element.pointer, into: reader.collector) else { continue }
            own.refuseUnknown(besides: ["clauses", "because"])
            let reason = own.string("because", required: true)
            for clause in own.strings("clauses", required: true) ?? [] {
                guard let id = ClauseID(clause.text) else {
                    reader.collector.note(
                        clause.pointer, "'\(clipped(clause.text))' is no clause", expected: "an id such as ENV-3",
                        fix: "see 'conformance list'")
                    continue
                }
                if reasons.updateValue(reason ?? "", forKey: id) != nil {
                    reader.collector.note(
                        clause.pointer, "\(id) has a reason already", expected: "each clause once",
                        fix: "remove one of them")
                }
            }
        }
        return reasons
    }

    private static func path(_ socket: MemberReader) -> String? {
        guard let path = socket.string("path", required: true) else { return nil }
        guard path.hasPrefix("/"), !path.contains("?"), !path.contains(" ") else {
            return socket.wrong("path", .string(path), "a path such as /ws, without a query")
        }
        return path
    }

    private static func credential(_ reader: MemberReader) -> CredentialPlace? {
        reader.refuseUnknown(besides: ["in", "name", "prefix"])
        switch reader.string("in", required: true) {
        case "frame": return .frame
        case "none": return CredentialPlace.none
        case "query": return reader.string("name", required: true).map { .query($0) }
        case "header":
            guard let name = reader.string("name", required: true) else { return nil }
            return .header(name.lowercased(), prefix: reader.string("prefix", isEmptyAllowed: true) ?? "")
        case let other?: return reader.wrong("in", .string(other), "frame, header, none, query")
        case nil: return nil
        }
    }

    private static func greeting(_ reader: MemberReader) -> Greeting? {
        reader.refuseUnknown(besides: ["opens", "challenge", "assumed"])
        func frame(_ key: String, type: String?) -> JSONValue? {
            guard let value = reader.require(key) else { return nil }
            guard value.objectValue != nil, type == nil || value["type"]?.stringValue == type else {
                return reader.wrong(key, value, type.map { "a frame of type '\($0)'" } ?? "a frame, which is an object")
            }
            return value
        }
        switch reader.string("opens", required: true) {
        case "client": return .client
        case "server": return frame("challenge", type: nil).map { .challenge($0) }
        case "nobody": return frame("assumed", type: "connected").map { .nobody(assumed: $0) }
        case let other?: return reader.wrong("opens", .string(other), "client, nobody, server")
        case nil: return nil
        }
    }

    /// A profile without the frames that it is made of could only be untested.
    private func refuseGaps(_ reader: MemberReader) {
        let needed: [(Profile, Role, [String])] = [
            (.core, .client, ["chat"]), (.core, .server, ["done", "error"]), (.sync, .client, ["sync"]),
            (.sync, .server, ["syncResult"]), (.idempotency, .server, ["ack"]),
        ]
        for (profile, sender, types) in needed where profiles.contains(profile) {
            for type in types where frameRules.saying(type, sentBy: sender).isEmpty {
                reader.collector.note(
                    JSONPointer(tokens: ["profiles"]), "'\(profile.rawValue)' needs '\(type)', and no frame is one",
                    expected: "a rule with \"is\": \"\(type)\" in frames", fix: "add it, or remove the profile")
            }
        }
        var isGreeted = frameRules.all.contains { $0.canonicalType == "connected" }
        if case .nobody = greeting { isGreeted = true }
        if !isGreeted {
            reader.collector.note(
                JSONPointer(tokens: ["greeting"]), "nothing says that a client is connected",
                expected: "a rule with \"is\": \"connected\" in frames, or a greeting that nobody opens",
                fix: "add one of them")
        }
    }
}
