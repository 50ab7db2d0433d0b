import Foundation
import PackagePlugin

/// Embeds text files into the target that uses this plugin: its folder `Resources`, or `Spec/` where it has none.
@main
struct EmbedFiles: BuildToolPlugin {
    func createBuildCommands(context: PluginContext, target: any Target) throws -> [Command] {
        let package = context.package.directoryURL
        let resources = target.directoryURL.appending(path: "Resources", directoryHint: .isDirectory)
        let hasResources = FileManager.default.fileExists(atPath: resources.path)
        let folder = hasResources ? resources : package.appending(path: "Spec", directoryHint: .isDirectory)
        let index = hasResources ? [] : [package.appending(path: "Fixtures/index.json")]
        let output = context.pluginWorkDirectoryURL.appending(path: "EmbeddedFiles.swift")
        let walker = FileManager.default.enumerator(at: folder, includingPropertiesForKeys: nil)
        let inputs = (walker?.compactMap { $0 as? URL } ?? []).filter { !$0.hasDirectoryPath }
        return [
            .buildCommand(
                displayName: "Embedding \(folder.lastPathComponent)/ into \(target.name)",
                executable: try context.tool(named: "FileEmbedder").url,
                arguments: ([output, folder] + index).map(\.path),
                inputFiles: (inputs + index).sorted { $0.path < $1.path },
                outputFiles: [output]
            )
        ]
    }
}
