import Holdfast

extension History {
    /// The profiles that its dialect can declare and greetings state, by which the server is judged if the user declared
    /// none; nil if no greeting states any list.
    package var statedProfiles: Set<Profile>? {
        let dialect = header.dialect
        var names: [String]?
        for (event, frame) in zip(events, frames) {
            guard case .text(.fromServer, _) = event.kind, let frame, let value = frame.value,
                !dialect.isCanonical || frame.type == "connected",
                case .frame(let greeting) = dialect.decode(value, sentBy: .server), greeting["type"] == "connected",
                let stated = greeting["capabilities"]?.arrayValue
            else { continue }
            names = (names ?? []) + stated.compactMap(\.stringValue)
        }
        let known = Profile.all(of: .server).intersection(dialect.profiles)
        let stated = names.map { Set($0.compactMap(Profile.init(rawValue:))).intersection(known) }
        // A list in words of its own says nothing of profiles.
        return stated?.isEmpty == true && names?.isEmpty == false ? nil : stated
    }
}
