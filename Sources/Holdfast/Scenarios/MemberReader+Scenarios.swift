import Basics

/// What scenarios for servers and for clients have in common.
extension MemberReader {
    /// The clauses a scenario exercises, among those there are; any will do when that is nil.
    func clauses(among known: Set<ClauseID>?, such example: String) -> [ClauseID] {
        guard let texts = strings("clauses", required: true) else { return [] }
        if texts.isEmpty {
            collector.note(
                pointer.appending("clauses"), "no clause", expected: "the clauses this exercises",
                fix: "name at least one")
        }
        return texts.compactMap { element in
            guard let id = ClauseID(element.text), known?.contains(id) ?? true else {
                let near = nearestName(to: element.text, among: (known ?? []).map(\.description))
                collector.note(
                    element.pointer, "'\(clipped(element.text))' is no clause",
                    expected: "an id of the specification such as \(example)",
                    fix: near.map { "did you mean '\($0)'?" } ?? "correct the id")
                return nil
            }
            return id
        }
    }

    /// The verb of a step, after everything else in it was found to belong to that verb; nil when it is none.
    func verb(of members: [String: [String]]) -> String? {
        guard let verb = string("do", required: true) else { return nil }
        guard let known = members[verb] else {
            let near = nearestName(to: verb, among: members.keys)
            collector.note(
                pointer.appending("do"), "unknown step '\(clipped(verb))'",
                expected: members.keys.sorted().joined(separator: ", "),
                fix: near.map { "did you mean '\($0)'?" } ?? "choose one of these")
            return nil
        }
        refuseUnknown(besides: ["do", "note", "profile"] + known)
        return verb
    }
}
