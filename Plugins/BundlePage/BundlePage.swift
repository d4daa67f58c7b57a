import Foundation
import PackagePlugin

/// Makes the files of the page into Swift: bundled, compressed and named by their content. `scripts/bundle` does the work.
@main
struct BundlePage: BuildToolPlugin {
    func createBuildCommands(context: PluginContext, target: Target) throws -> [Command] {
        let root = context.package.directoryURL
        let (script, web) = (root.appending(path: "scripts/bundle"), root.appending(path: "Web"))
        let output = context.pluginWorkDirectoryURL.appending(path: "BundledFiles.swift")
        let library = web.appending(path: "diffroom")
        let files = try [web, library].flatMap {
            try FileManager.default.contentsOfDirectory(at: $0, includingPropertiesForKeys: nil)
        }
        return [
            .buildCommand(
                displayName: "Bundling the page", executable: script, arguments: [web.path(), output.path()],
                inputFiles: [script, web, library] + files.sorted { $0.path() < $1.path() }, outputFiles: [output])
        ]
    }
}
