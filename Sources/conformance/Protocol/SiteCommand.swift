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
            Writes a page for each guide to this program, chapter and area, with scenarios, fixtures, schemas and search. \
            The pages work without a server or network: open index.html. The bundle/ folder has all messages in one \
            schema and a self-contained OpenAPI file, for code generators.

            Examples:
              conformance site pages                          the built-in specification
              conformance site pages --fixtures Fixtures      with the text of the fixtures
              conformance site pages --spec Spec              the one you are writing
            """
    )

    @Argument(
        help: ArgumentHelp("The folder to write to, created if missing.", valueName: "folder"),
        completion: .directory)
    var folder: String

    @Option(
        help: ArgumentHelp("Use the specification in this folder instead of the built-in one.", valueName: "folder"))
    var spec: String?

    @Option(help: ArgumentHelp("The folder with the fixtures, to show their text.", valueName: "folder"))
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
            specification, fixtureTexts: try texts(of: specification), toolPages: ToolPages.texts, defects: Self.defects
        ).files()
        for (page, text) in built.sorted(by: { $0.key < $1.key }) {
            try Files.write(text, to: "\(folder)/\(page)", makingFolders: true)
        }
        Console.write("\(built.count) files; open \(folder)/index.html\n")
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
