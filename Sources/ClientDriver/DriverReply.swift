import HoldfastSmallFoundation

enum DriverReply: Sendable, Equatable {
    case about(AboutClient)
    case done(ClientState?)
    case unsupported(String)
    case failed(String)

    /// Without a line terminator.
    func line(id: Int) -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        let written = try? encoder.encode(Wire(id: id, reply: self))
        return written.map { String(decoding: $0, as: UTF8.self) }
            ?? #"{"error":"the answer cannot be written as JSON","id":\#(id)}"#
    }

    private struct Wire: Encodable {
        let id: Int
        let reply: DriverReply

        private enum Key: String, CodingKey {
            case id, ok, state, name, version, profiles, unsupported, error
        }

        func encode(to encoder: any Encoder) throws {
            var object = encoder.container(keyedBy: Key.self)
            try object.encode(id, forKey: .id)
            switch reply {
            case .about(let about):
                try object.encode(true, forKey: .ok)
                try object.encode(about.name, forKey: .name)
                try object.encodeIfPresent(about.version, forKey: .version)
                try object.encodeIfPresent(about.profiles, forKey: .profiles)
                if !about.unsupported.isEmpty { try object.encode(about.unsupported, forKey: .unsupported) }
            case .done(let state):
                try object.encode(true, forKey: .ok)
                try object.encodeIfPresent(state, forKey: .state)
            case .unsupported(let why): try object.encode(why, forKey: .unsupported)
            case .failed(let what): try object.encode(what, forKey: .error)
            }
        }
    }
}
