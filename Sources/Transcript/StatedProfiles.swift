import Holdfast

extension Sequence<Event> {
    /// The profiles that greetings of a server state among these events: what it is judged by where nobody said what it declares.
    package var statedProfiles: Set<Profile> {
        var stated: Set<Profile> = []
        for event in self {
            // A greeting is short, and most frames are none.
            guard case .text(.fromServer, let text) = event.kind, text.utf8.count <= 64 << 10,
                text.contains("\"capabilities\"")
            else { continue }
            let frame = Frame(text)
            guard frame.type == "connected" else { continue }
            let names = (frame["capabilities"]?.arrayValue ?? []).compactMap(\.stringValue)
            stated.formUnion(names.compactMap(Profile.init(rawValue:)))
        }
        return stated.intersection(Profile.all(of: .server))
    }
}
