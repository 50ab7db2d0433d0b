import Holdfast

extension Collection<ClauseID> {
    /// How many there are of each area, such as `REST 3, SYNC 12`: what a line has room for.
    var byArea: String {
        Dictionary(grouping: self, by: \.area).sorted { $0.key < $1.key }
            .map { "\($0.key.rawValue) \($0.value.count)" }.joined(separator: ", ")
    }

    /// Their ids while these are few, or all are to be named; else how many there are of each area.
    package func named(_ isNaming: Bool) -> String {
        isNaming || count <= 8 ? map(\.description).joined(separator: ", ") : byArea
    }
}
