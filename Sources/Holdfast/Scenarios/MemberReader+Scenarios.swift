import HoldfastBasics

extension MemberReader {
    /// The clauses that a scenario exercises, from the existing ones; nil accepts any.
    func clauses(among known: Set<ClauseID>?, example: String) -> [ClauseID] {
        (strings("clauses") ?? []).compactMap { element in
            guard let id = ClauseID(element.text), known?.contains(id) ?? true else {
                collector.note(
                    element.pointer, "'\(excerpt(element.text))' is not a clause", insteadOf: element.text,
                    among: (known ?? []).map(\.description), expected: "an id of the specification such as \(example)",
                    otherwise: "correct the id")
                return nil
            }
            return id
        }
    }
}
