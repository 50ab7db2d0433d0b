import JSON

/// One step from a message down to the place of an edit, as far as it matters to the value there.
enum PathStep: Sendable {
    case member(ExactString)
    /// A member of a class of names.
    case members(NameClass)
    /// The name of a member, as a string.
    case name
    case item(from: Int, to: Int?)
    /// The same value, where further demands hold on the old side and on the new side.
    case inPlace(old: [Literal], new: [Literal])

    /// Demands on a value that lead this step down to demands on what is there.
    func goal(_ inner: [Literal], writerIsOld: Bool = true) -> [Literal] {
        switch self {
        case .member(let name): [.kinds(.object), .present(name, inner)]
        case .members(let names): [.kinds(.object), .someMember(names, inner)]
        case .name: [.kinds(.object), .someName(inner)]
        case .item(let from, let to): [.kinds(.array), .someItem(from: from, to: to, inner)]
        case .inPlace(let old, let new): (writerIsOld ? old : new) + inner
        }
    }
}

extension Literal {
    /// The same demand, its schemas counted in another row.
    func moved(_ move: (Int) -> Int) -> Literal {
        func all(_ literals: [Literal]) -> [Literal] { literals.map { $0.moved(move) } }
        switch self {
        case .holds(let node): return .holds(move(node))
        case .fails(let node): return .fails(move(node))
        case .keeps(let node, let keyword): return .keeps(node: move(node), keyword: keyword)
        case .breaks(let node, let keyword): return .breaks(node: move(node), keyword: keyword)
        case .contains(let node, let min, let max): return .contains(move(node), min: min, max: max)
        case .someItem(let from, let to, let literals): return .someItem(from: from, to: to, all(literals))
        case .everyItem(let from, let to, let literals): return .everyItem(from: from, to: to, all(literals))
        case .present(let name, let literals): return .present(name, all(literals))
        case .someMember(let names, let literals): return .someMember(names, all(literals))
        case .everyMember(let names, let literals): return .everyMember(names, all(literals))
        case .someName(let literals): return .someName(all(literals))
        case .everyName(let literals): return .everyName(all(literals))
        default: return self
        }
    }
}
