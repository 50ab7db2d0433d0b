import JSON

/// Reads what a scripted server holds.
struct ClientWorldReader {
    let reader: MemberReader

    func world() -> ClientWorld {
        var world = ClientWorld()
        reader.refuseUnknown(
            besides: ["sessions", "epoch", "lastSeq", "profiles", "limits", "heartbeatSeconds"])
        var seen: Set<String> = []
        for element in reader.array("sessions") ?? [] {
            guard let members = MemberReader(element.value, at: element.pointer, into: reader.collector) else {
                continue
            }
            members.refuseUnknown(besides: ["id", "messages"])
            guard let id = members.string("id", required: true) else { continue }
            if !seen.insert(id).inserted {
                reader.collector.note(
                    element.pointer.appending("id"), "session '\(clipped(id))' was named before",
                    expected: "every id once", fix: "give it another id")
            }
            let messages = (members.array("messages") ?? []).compactMap {
                Self.message($0.value, at: $0.pointer, into: reader.collector)
            }
            world.sessions.append(ClientWorld.Session(id: id, messages: messages))
        }
        world.epoch = reader.string("epoch") ?? world.epoch
        world.lastSeq = reader.integer("lastSeq", in: 0...1_000_000_000) ?? world.lastSeq
        if let names = reader.strings("profiles") {
            world.profiles = [.core]
            for name in names {
                guard let profile = reader.choice(name.text, of: Profile.self, called: "profile", at: name.pointer)
                else { continue }
                world.profiles.insert(profile)
            }
        }
        if let limits = reader.members("limits") { world.limits = limits.object }
        world.heartbeatSeconds = reader.integer("heartbeatSeconds", in: 1...3600)
        return world
    }

    /// A message in short, such as `"u1"`, or with its members.
    static func message(
        _ value: JSONValue, at pointer: JSONPointer, into collector: ProblemCollector
    ) -> ClientWorld.Message? {
        if let id = value.stringValue {
            switch id.first {
            case "u": return ClientWorld.Message(id: id, role: .user)
            case "a": return ClientWorld.Message(id: id, role: .assistant)
            default:
                collector.note(
                    pointer, "message '\(clipped(id))' does not say whose it is", expected: "u1, u2, … or a1, a2, …",
                    fix: "write {\"id\": …, \"role\": …, \"text\": …} instead")
                return nil
            }
        }
        guard let members = MemberReader(value, at: pointer, into: collector) else { return nil }
        members.refuseUnknown(besides: ["id", "role", "text"])
        guard let id = members.string("id", required: true),
            let role = members.choice("role", of: ClientWorld.Message.Role.self, required: true)
        else { return nil }
        return ClientWorld.Message(id: id, role: role, text: members.string("text", isEmptyAllowed: true))
    }
}
