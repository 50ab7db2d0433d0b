import HoldfastBasics
import HoldfastJSON

extension SubjectFile {
    /// Reads a subject file.
    /// - Parameters:
    ///   - text: The contents of the file.
    ///   - file: Its name in problems.
    /// - Throws: All problems of the file, with lines.
    public init(_ text: String, file: String) throws(InputProblems) {
        self = try MemberReader.read(
            Array(text.utf8), file: file, schema: .subject, expected: "a subject file", isMeant: Self.isMeant
        ) {
            SubjectFile(reading: $0)
        }
    }

    /// Whether a file is a subject file at all: files of all other kinds have a member `format`.
    private static func isMeant(_ root: JSONValue, _ collector: ProblemCollector) -> Bool {
        guard let format = root["format"]?.stringValue else { return true }
        collector.note(
            JSONPointer().appending("format"), "this is a file of format '\(visible(format))'",
            expected: "a subject file, which describes a server",
            fix: "give a subject file; 'conformance init' writes one")
        return false
    }

    private init(reading reader: MemberReader) {
        name = reader.string("name")
        version = reader.string("version")
        url = Self.address(reader, "url", schemes: ["ws", "wss"])
        http = Self.address(reader, "http", schemes: ["http", "https"])
        dialect = reader.string("dialect") ?? "canonical"
        profiles =
            reader.value("profiles") == nil ? nil : Set(reader.choices("profiles", of: Profile.self).map(\.choice))
        agent = reader.choice("agent", of: Agent.self) ?? .plain
        tiers = reader.array("tiers").map { Set($0.compactMap(\.value.intValue)) }
        principals = Self.principals(reader)
        headers = (reader.members("headers")?.object ?? [:]).reduce(into: [:]) { $0[$1.key] = $1.value.stringValue }
        start = reader.members("start").map(Self.start)
        push = reader.members("push").map(Self.push)
        limits = Dictionary(
            uniqueKeysWithValues: (reader.value("limits")?.objectValue ?? [:]).compactMap { name, value in
                value.intValue.map { (name, $0) }
            })
        // A server that the suite starts can be told where to listen.
        if reader.value("url") == nil, reader.value("start") == nil { let _: Never? = reader.lacking("url") }
        // A misspelled profile may be the required one.
        if reader.collector.isClean, let profiles { reader.noteNeeds(of: profiles) }
    }

    private static func address(_ reader: MemberReader, _ key: String, schemes: [String]) -> String? {
        guard let text = reader.string(key) else { return nil }
        guard schemes.contains(where: { text.lowercased().hasPrefix($0 + "://") }) else {
            return reader.wrong(key, .string(text), "an address that starts with \(schemes[0])://, or \(schemes[1])://")
        }
        return text
    }

    private static func principals(_ reader: MemberReader) -> [Principal] {
        var names: Set<String> = []
        return reader.objects("principals").map { principal in
            let name = principal.text("name")
            if !name.isEmpty, !Principal.isName(name) {
                let _: Never? = principal.wrong("name", .string(name), "p1, p2, …")
            } else if !names.insert(name).inserted {
                reader.collector.note(
                    principal.pointer.appending("name"), "principal '\(name)' is listed twice",
                    expected: "each principal once", fix: "give the later one the next number")
            }
            return Principal(name: name, token: token(principal))
        }
    }

    private static func token(_ principal: MemberReader) -> Token {
        let ways = ["token", "tokenFile", "tokenEnv", "tokenCommand"]
        let given = ways.filter { principal.value($0) != nil }
        if given.count > 1 {
            principal.collector.note(
                principal.pointer.appending(given[1]), "'\(given[0])' and '\(given[1])' are both given",
                expected: "one of \(ways.joined(separator: ", "))", fix: "keep one and remove the others")
        }
        switch given.first {
        case "tokenFile": return .file(principal.text("tokenFile"))
        case "tokenEnv": return .variable(principal.text("tokenEnv"))
        case "tokenCommand": return .command((principal.strings("tokenCommand") ?? []).map(\.text))
        default: return .given(principal.text("token"))
        }
    }

    private static func start(_ reader: MemberReader) -> Start {
        let environment = reader.value("environment")?.objectValue ?? [:]
        return Start(
            command: (reader.strings("command") ?? []).map(\.text), directory: reader.string("directory"),
            data: reader.string("data"),
            environment: Dictionary(
                uniqueKeysWithValues: environment.map { ($0.key, $0.value.stringValue ?? "") }),
            ready: reader.string("ready"))
    }

    private static func push(_ reader: MemberReader) -> Push {
        let members = reader.members("devices")
        var devices: [String: String] = [:]
        for member in members?.object ?? [:] {
            let device = member.value.stringValue ?? ""
            if !Principal.isName(member.key) {
                let _: Never? = members?.wrong(member.key, .string(member.key), "p1, p2, …")
            } else if isDevice(device) {
                devices[member.key] = device
            } else {
                let _: Never? = members?.wrong(member.key, .string("‹device of \(member.key)›"), expectedDevice)
            }
        }
        return Push(topic: reader.string("topic"), devices: devices)
    }

    /// A description of a valid device token.
    public static let expectedDevice = "a device token of 8 to 200 letters, digits, '-', '_', '.' or '~'"

    /// Whether a text is a valid device token: it must be usable in paths and searchable in other texts.
    public static func isDevice(_ text: String) -> Bool {
        (8...200).contains(text.utf8.count)
            && text.unicodeScalars.allSatisfy {
                $0.isASCII && ($0.properties.isAlphabetic || "0123456789-_.~".unicodeScalars.contains($0))
            }
    }
}

extension SubjectFile.Principal {
    /// Whether a text names a principal: `p1`, `p2`, ….
    public static func isName(_ text: String) -> Bool {
        guard text.hasPrefix("p"), let number = Int(text.dropFirst()), number > 0 else { return false }
        return "p\(number)" == text
    }
}
