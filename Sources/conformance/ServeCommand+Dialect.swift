import Foundation
import Holdfast
import Reference

// What the reference server speaks, and which system's faults it has.
extension ServeCommand {
    /// The presets that are asked for: none or one, and it goes with its own dialect alone.
    func chosenPreset() throws -> Preset? {
        guard let preset else { return nil }
        let chosen = try NamedBehaviours.chosen([preset], among: Preset.all, flag: "--preset", of: "serve").first
        if let chosen, let dialect, dialect != chosen.name {
            throw Tool.refuse(
                "--preset", "'\(chosen.name)' does not speak '\(dialect)'", expected: "its own dialect",
                fix: "leave out --dialect")
        }
        return chosen
    }

    /// What it speaks: a dialect of the specification by name, or a file.
    func chosenDialect(_ preset: Preset?) throws -> Dialect {
        guard let wanted = dialect ?? preset?.name else { return .canonical }
        let specification = try Tool.specification()
        let isFile = wanted.contains("/") || wanted.hasSuffix(".json")
        let text = isFile ? String(decoding: try Files.bytes(of: wanted), as: UTF8.self) : ""
        do throws(InputProblems) {
            return isFile
                ? try Dialect(text, file: wanted) : try specification.dialect(named: wanted)
        } catch {
            throw Tool.refuse(error.problems)
        }
    }

    /// How a subject file names what it speaks; nil for the specification's own form.
    func dialectName(_ spoken: Dialect) -> String? {
        guard !spoken.isCanonical, let dialect, dialect != spoken.name else {
            return spoken.isCanonical ? nil : spoken.name
        }
        // The subject file may lie elsewhere.
        return URL(fileURLWithPath: dialect).path
    }
}
