import Holdfast

extension Sequence<Event> {
    /// The profiles in a server's greetings, by which it is judged if the user declared none.
    package var statedProfiles: Set<Profile> {
        var stated: Set<Profile> = []
        for event in self {
            // A greeting is short, and most frames are not greetings.
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
