import Foundation
import PackagePlugin

/// Embeds `Spec/` and the index of the fixtures into the target that uses this plugin.
@main
struct EmbedSpecification: BuildToolPlugin {
    func createBuildCommands(context: PluginContext, target: any Target) throws -> [Command] {
        let folder = context.package.directoryURL.appending(path: "Spec", directoryHint: .isDirectory)
        let index = context.package.directoryURL.appending(path: "Fixtures/index.json")
        let output = context.pluginWorkDirectoryURL.appending(path: "EmbeddedSpecification.swift")
        var inputs = [index]
        let walker = FileManager.default.enumerator(atPath: folder.path)
        while let path = walker?.nextObject() as? String {
            if path.hasSuffix(".md") || path.hasSuffix(".json") { inputs.append(folder.appending(path: path)) }
        }
        return [
            .buildCommand(
                displayName: "Embedding Spec/",
                executable: try context.tool(named: "SpecificationEmbedder").url,
                arguments: [folder.path, index.path, output.path],
                inputFiles: inputs.sorted { $0.path < $1.path },
                outputFiles: [output]
            )
        ]
    }
}
