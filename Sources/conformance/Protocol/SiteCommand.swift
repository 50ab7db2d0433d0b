import ArgumentParser
import Holdfast
import HoldfastReference
import HoldfastSite
import HoldfastSuite
import ReferenceClient

struct SiteCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "site",
        abstract: "Write the specification as a folder of HTML pages.",
        discussion: """
            A page for each chapter and each area, an anchor for each clause, scenarios, fixtures, schemas and a search box. The
            pages need no server and no network: open index.html. Below bundle/ stand all messages in one schema and OpenAPI
            without references to other files, for generators of types.

            Examples:
              conformance site pages                          the specification that came with this program
              conformance site pages --fixtures Fixtures      with the text of the fixtures
              conformance site pages --spec Spec              the one you are writing
            """
    )

    @Argument(
        help: ArgumentHelp("The folder to write to; made where it is missing.", valueName: "folder"),
        completion: .directory)
    var folder: String

    @Option(
        help: ArgumentHelp("The folder of a specification in place of the one that came along.", valueName: "folder"))
    var spec: String?

    @Option(help: ArgumentHelp("The folder of the fixtures, to show their text.", valueName: "folder"))
    var fixtures: String?

    func run() async throws {
        var files = try Specification(spec.map(SpecificationFiles.init(folder:)) ?? .embedded).files
        if files.texts["fixtures/index.json"] == nil {
            files.texts["fixtures/index.json"] = SpecificationFiles.embedded.texts["fixtures/index.json"]
        }
        if let fixtures {
            files.texts["fixtures/index.json"] = try Files.text(of: "\(fixtures)/index.json")
        }
        let specification = try Specification(files)
        let built = try Site(
            specification, fixtureTexts: try texts(of: specification), defects: Self.defects
        ).files()
        for (page, text) in built.sorted(by: { $0.key < $1.key }) {
            try Files.write(text, to: "\(folder)/\(page)", makingFolders: true)
        }
        Console.write("\(built.count) files; begin with \(folder)/index.html\n")
    }

    private func texts(of specification: Specification) throws -> [String: String] {
        guard let fixtures else { return [:] }
        let files = try FixtureIndex(specification.files).entries.map(\.file)
        return try Dictionary(
            files.map { ($0, try Files.text(of: "\(fixtures)/\($0)")) }, uniquingKeysWith: { $1 })
    }

    private static var defects: [Site.Defect] {
        Defect.all.map { Site.Defect(clause: $0.clause, name: $0.name, summary: $0.summary) }
            + ClientDefect.all.map { Site.Defect(clause: $0.clause, name: $0.name, summary: $0.summary) }
    }
}
