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
        return try Tool.dialect(wanted, given: "--dialect")
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
