import Holdfast

extension Tool {
    /// Every dialect, the specification's own form first.
    static func dialects(of specification: Specification) throws -> [Dialect] {
        do {
            return [.canonical] + (try specification.dialects())
        } catch {
            throw refuse(error.problems)
        }
    }
}
