import ArgumentParser
import Holdfast
import HoldfastExplain
import HoldfastGate
import HoldfastReference
import HoldfastReport
import HoldfastSmallFoundation
import HoldfastSuite
import ReferenceClient

/// The words that a shell may suggest, from the program itself, so that a script never goes out of date.
enum CompletionWords {
    private static let specification = try? Specification(.embedded)

    /// Clauses, areas and scenarios of both sides, or of one.
    static func patterns(_ role: Role? = nil) -> [String] {
        guard let specification else { return [] }
        let clauses = specification.clauses.filter { role == nil || $0.role == role }.map(\.id)
        let areas = Area.allCases.filter { area in clauses.contains { $0.area == area } }.map(\.rawValue)
        let scenarios = ((try? specification.allScenarios()) ?? []).filter { role == nil || $0.role == role }
        return clauses.map(\.description) + areas + scenarios.map(\.name)
    }

    /// Everything that can be explained in one word.
    static var topics: [String] {
        let names = specification.flatMap { try? TopicBook($0, ConsoleStyle()) }?.names ?? []
        return names.filter { !$0.contains(" ") } + RuleBook.all.map(\.id)
            + ExitStatus.allCases.map { String($0.rawValue) }
    }

    /// Names of dialects, and files in this folder that may be dialects.
    static var dialects: [String] {
        let files = (try? FileManager.default.contentsOfDirectory(atPath: ".")) ?? []
        return (specification?.dialectNames ?? []) + files.filter { $0.hasSuffix(".json") }.sorted()
    }

    /// The built-in mixes, and files in this folder that may be mixes.
    static var mixes: [String] { (specification?.mixNames ?? []) + dialects.filter { $0.hasSuffix(".json") } }

    /// The beginnings of `NAME=FILE`.
    static var formats: [String] { ReportFormat.allCases.map { "\($0.rawValue)=" } }

    static var schemas: [String] { specification.map { $0.messageSchemas(for: [.core]).names } ?? [] }
}

extension CompletionKind {
    /// Words that the program computes when the shell asks for them.
    static func words(_ words: @escaping @Sendable () -> [String]) -> CompletionKind {
        .custom { _, _, _ in words() }
    }

    static let dialects = words { CompletionWords.dialects }
    static let mixes = words { CompletionWords.mixes }
    static let serverPatterns = words { CompletionWords.patterns(.server) }
    static let clientPatterns = words { CompletionWords.patterns(.client) }
    static let serverDefects = words { Defect.all.map(\.name) }
    static let clientDefects = words { ClientDefect.all.map(\.name) }
    static let serverVariations = words { Variation.allCases.map(\.rawValue) }
    static let clientVariations = words { ClientVariation.allCases.map(\.rawValue) }
    static let serverProfiles = words { Profile.all(of: .server).sorted().map(\.rawValue) }
    static let clientProfiles = words { Profile.all(of: .client).sorted().map(\.rawValue) }
    static let formats = words { CompletionWords.formats }
    static let sides = list(["server", "client"])
}
