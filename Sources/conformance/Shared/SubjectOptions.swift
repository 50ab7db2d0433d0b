import ArgumentParser
import Holdfast
import HoldfastSuite

/// Flags that describe whoever is judged from the outside.
struct SubjectOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "The dialect of the traffic: a name from 'conformance dialect list', or a dialect file. Default: canonical.",
            valueName: "name|file"), completion: .dialects)
    var dialect: String?

    @Option(
        help: ArgumentHelp(
            "A file with name, profiles, limits and dialect; flags override it.", valueName: "file"),
        completion: .file(extensions: ["json"]))
    var subject: String?

    /// What the file says, and the dialect that is spoken.
    func read(_ specification: Specification) throws -> (described: SubjectFile?, dialect: Dialect) {
        let described = try subject.map { try SubjectFile(file: $0) }
        let name = dialect ?? described?.dialect
        return (described, try name.map { try specification.dialect($0, given: "--dialect") } ?? .canonical)
    }
}
