import Foundation
import PackagePlugin

/// Embeds text files into the target using this plugin: its folder `Resources`, its pages or, without both, `Spec/`.
@main
struct EmbedFiles: BuildToolPlugin {
    func createBuildCommands(context: PluginContext, target: any Target) throws -> [Command] {
        let package = context.package.directoryURL
        let own = ["Resources", "Documentation.docc"].map {
            target.directoryURL.appending(path: $0, directoryHint: .isDirectory)
        }.first { FileManager.default.fileExists(atPath: $0.path) }
        let folder = own ?? package.appending(path: "Spec", directoryHint: .isDirectory)
        let index = own == nil ? [package.appending(path: "Fixtures/index.json")] : []
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
