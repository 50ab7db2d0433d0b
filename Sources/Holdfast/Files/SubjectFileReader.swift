import JSON

extension SubjectFile {
    /// Reads a subject file.
    /// - Parameters:
    ///   - text: The file.
    ///   - file: Its name, as problems show it.
    /// - Throws: Every problem of the file at once, each with its line.
    public init(_ text: String, file: String) throws(InputProblems) {
        self = try MemberReader.read(Array(text.utf8), file: file, expected: "a subject file") {
            SubjectFile(reading: $0)
        }
    }

    private init?(reading reader: MemberReader) {
        reader.refuseUnknown(besides: [
            "name", "version", "description", "url", "http", "dialect", "profiles", "agent", "tiers", "principals",
            "start", "push", "limits",
        ])
        let name = reader.string("name", required: true)
        // Who starts it can tell it where to listen.
        url = Self.address(reader, "url", schemes: ["ws", "wss"], required: reader.value("start") == nil)
        http = Self.address(reader, "http", schemes: ["http", "https"], required: false)
        version = reader.string("version")
        summary = reader.string("description")
        dialect = reader.string("dialect") ?? "canonical"
        profiles = Self.profiles(reader)
        agent = reader.choice("agent", of: Agent.self) ?? .plain
        tiers = Self.tiers(reader)
        principals = Self.principals(reader)
        start = reader.members("start").flatMap(Self.start)
        push = reader.members("push").map(Self.push)
        limits = Self.limits(reader)
        guard let name else { return nil }
        self.name = name
    }

    private static func address(
        _ reader: MemberReader, _ key: String, schemes: [String], required: Bool
    ) -> String? {
        guard let text = reader.string(key, required: required) else { return nil }
        guard schemes.contains(where: { text.lowercased().hasPrefix($0 + "://") }) else {
            return reader.wrong(key, .string(text), "an address that starts with \(schemes[0])://, or \(schemes[1])://")
        }
        return text
    }

    private static func profiles(_ reader: MemberReader) -> Set<Profile> {
        guard let texts = reader.strings("profiles", required: true) else { return [] }
        if texts.isEmpty {
            reader.collector.note(
                reader.pointer.appending("profiles"), "no profile", expected: "at least core",
                fix: "declare what the subject keeps")
        }
        var profiles: Set<Profile> = []
        var hasUnknown = false
        for element in texts {
            guard
                let profile = reader.choice(element.text, of: Profile.self, called: "profile", at: element.pointer)
            else {
                hasUnknown = true
                continue
            }
            if !profiles.insert(profile).inserted {
                reader.collector.note(
                    element.pointer, "profile '\(profile.rawValue)' stands here twice", expected: "each profile once",
                    fix: "remove one")
            }
        }
        // An unknown name may be the needed one, mistyped.
        if !hasUnknown { reader.noteNeeds(of: profiles) }
        return profiles
    }

    private static func tiers(_ reader: MemberReader) -> Set<Int>? {
        guard let elements = reader.array("tiers") else { return nil }
        return Set(
            elements.compactMap { element in
                if let tier = element.value.intValue, (1...3).contains(tier) { return tier }
                reader.collector.note(
                    element.pointer, "found \(MemberReader.shown(element.value))", expected: "1, 2, 3",
                    fix: "correct the value")
                return nil
            })
    }

    private static func principals(_ reader: MemberReader) -> [Principal] {
        guard let elements = reader.array("principals") else { return [] }
        var names: Set<String> = []
        return elements.compactMap { element in
            guard let principal = MemberReader(element.value, at: element.pointer, into: reader.collector) else {
                return nil
            }
            principal.refuseUnknown(besides: ["name", "token"])
            guard let name = principal.string("name", required: true),
                let token = principal.string("token", required: true)
            else { return nil }
            guard Principal.isName(name) else {
                return principal.wrong("name", .string(name), "p1, p2, …")
            }
            if !names.insert(name).inserted {
                reader.collector.note(
                    element.pointer.appending("name"), "principal '\(name)' stands here twice",
                    expected: "each principal once", fix: "give the later one the next number")
            }
            return Principal(name: name, token: token)
        }
    }

    private static func start(_ reader: MemberReader) -> Start? {
        reader.refuseUnknown(besides: ["command", "directory", "data", "environment", "ready"])
        guard let command = reader.strings("command", required: true) else { return nil }
        if command.isEmpty {
            reader.collector.note(
                reader.pointer.appending("command"), "no program", expected: "a program and its arguments",
                fix: "name the program")
        }
        var environment: [String: String] = [:]
        if let variables = reader.members("environment") {
            for member in variables.object {
                environment[member.key] = variables.string(member.key, isEmptyAllowed: true)
            }
        }
        return Start(
            command: command.map(\.text), directory: reader.string("directory"), data: reader.string("data"),
            environment: environment, ready: reader.string("ready"))
    }

    private static func push(_ reader: MemberReader) -> Push {
        reader.refuseUnknown(besides: ["topic", "devices"])
        let members = reader.members("devices", required: true)
        var devices: [String: String] = [:]
        for member in members?.object ?? [:] {
            guard Principal.isName(member.key) else {
                let _: Never? = members?.wrong(member.key, .string(member.key), "p1, p2, …")
                continue
            }
            guard let device = members?.string(member.key) else { continue }
            if isDevice(device) {
                devices[member.key] = device
            } else {
                let _: Never? = members?.wrong(member.key, .string("‹device of \(member.key)›"), expectedDevice)
            }
        }
        return Push(topic: reader.string("topic"), devices: devices)
    }

    /// What a device token is made of, in words.
    public static let expectedDevice = "a device token of 8 to 200 letters, digits, '-', '_', '.' or '~'"

    /// Whether a text can be a device token: it stands in paths as it is, and must be found in other texts.
    public static func isDevice(_ text: String) -> Bool {
        (8...200).contains(text.utf8.count)
            && text.utf8.allSatisfy { byte in
                switch byte {
                case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                    UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "_"), UInt8(ascii: "."),
                    UInt8(ascii: "~"):
                    true
                default: false
                }
            }
    }

    private static func limits(_ reader: MemberReader) -> [String: Int] {
        let names = [
            "maxFrameBytes", "messagesPerMinute", "rateWindowSeconds", "replayMessages", "replaySeconds",
            "heartbeatSeconds", "authSeconds",
        ]
        guard let members = reader.members("limits") else { return [:] }
        members.refuseUnknown(besides: names)
        var limits: [String: Int] = [:]
        for name in names {
            limits[name] = members.integer(name, in: 0...9_007_199_254_740_991)
        }
        return limits
    }
}

extension SubjectFile.Principal {
    /// Whether a text names a principal: `p1`, `p2`, ….
    public static func isName(_ text: String) -> Bool {
        guard text.hasPrefix("p"), let number = Int(text.dropFirst()), number > 0 else { return false }
        return "p\(number)" == text
    }
}
