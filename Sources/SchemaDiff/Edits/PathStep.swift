import HoldfastJSON

/// One step from a message down to the place of an edit, as far as it matters to the value there.
enum PathStep: Sendable {
    case member(ExactString)
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
