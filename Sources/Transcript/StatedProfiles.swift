import Holdfast

extension History {
    /// The history, declaring `core` and the profiles that its greetings or earlier ones stated; unchanged if no
    /// greeting stated a list.
    package func declaring(_ stated: inout Set<Profile>?) -> History {
        if let more = statedProfiles { stated = more.union(stated ?? []) }
        guard let stated else { return self }
        var header = header
        header.subject.profiles = stated.union([.core])
        return History(header: header, events: events, frames: frames)
    }

    /// The profiles that its dialect can declare and greetings state; nil if no greeting states any list.
    private var statedProfiles: Set<Profile>? {
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
        // A list without any known profile is not a list of profiles.
        return stated?.isEmpty == true && names?.isEmpty == false ? nil : stated
    }
}
