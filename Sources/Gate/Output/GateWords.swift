import Holdfast
import HoldfastJSON
import HoldfastSchemaDiff

/// Findings in the words of a changelog: the change, then the peers that must act.
extension GateFinding {
    var change: String { words ?? clauseWords ?? schemaWords ?? "\(subject)\(title)\(values)" }

    /// Its subject, with a colon: the messages it affects, or the clause, code or request.
    private var subject: String {
        if !messages.isEmpty { return "\(list(messages)): " }
        guard let location else { return "" }
        return location.pointer.tokens.last.map { "`\($0)`: " } ?? "\(location.path): "
    }

    private var title: String { RuleBook.rule(rule)?.title ?? rule }

    private var location: GateLocation? { new ?? old }

    /// The reason for the finding, without a full stop.
    var reason: String { why.hasSuffix(".") ? String(why.dropLast()) : why }

    /// The old and the new value, if short.
    private var values: String {
        // A list or a schema does not fit into a sentence.
        if [oldValue, newValue].contains(where: { $0?.arrayValue != nil || $0?.objectValue != nil }) { return "" }
        let old = oldValue.map(shown)
        let new = newValue.map(shown)
        switch (old, new) {
        case (let old?, let new?): return ", from \(old) to \(new)"
        case (let old?, nil): return ", was \(old)"
        case (nil, let new?): return ", \(new)"
        case (nil, nil): return ""
        }
    }

    private func shown(_ value: JSONValue) -> String {
        let text = value.stringValue ?? value.text()
        return Self.quoted(text.count > 80 ? text.prefix(79) + "…" : text)
    }

    /// A text as code, or in quotation marks if it contains code.
    static func quoted(_ text: some StringProtocol) -> String { text.contains("`") ? "“\(text)”" : "`\(text)`" }

    private func list(_ names: [String]) -> String { names.map { "`\($0)`" }.joined(separator: ", ") }

    // MARK: Clauses

    private var clauseWords: String? {
        guard let location, location.file.hasPrefix("clauses/"), let id = location.pointer.tokens.last else {
            return nil
        }
        let old = oldValue.flatMap(\.stringValue) ?? ""
        let new = newValue.flatMap(\.stringValue) ?? ""
        switch rule {
        case "clause-added": return "\(id) is new: \(new)"
        case "clause-removed": return "\(id) is gone: \(old)"
        case "clause-withdrawn": return "\(id) is withdrawn: \(old)"
        case "clause-strengthened", "clause-weakened", "clause-inverted":
            return "\(id) is now a \(new), was a \(old)"
        case "clause-bound-tightened", "clause-bound-loosened", "clause-bound-changed":
            return "\(id) now says \(new), said \(old)"
        case "clause-reworded": return "\(id) is reworded: \(new) Before: \(old)"
        case "clause-id-reused": return "\(id) now names a different rule: \(new)"
        case "clause-profile-changed": return "\(id) now belongs to profile `\(new)`, belonged to `\(old)`"
        case "clause-role-changed": return "\(id) now binds the \(new), bound the \(old)"
        case "clause-exclusion-added": return "\(id) is no longer judged: \(new)"
        case "clause-exclusion-removed": return "\(id) is judged now"
        case "clause-evidence-changed": return "\(id) is judged from other evidence"
        case "transcript-regression": return "\(id) is broken in transcripts now"
        case "transcript-warning": return "\(id) is not followed in transcripts, which is a warning now"
        case "transcript-relief": return "\(id) is no longer broken in transcripts"
        case "clause-note-changed": return "\(id) is explained differently"
        default: return nil
        }
    }

    // MARK: Schemas

    private var schemaWords: String? {
        guard let location, location.file.hasPrefix("schemas/"), !messages.isEmpty else { return nil }
        let locations = [new, old].compactMap { $0 }
        let isListed = rule == "property-became-required" || rule == "property-became-optional"
        let listed = isListed ? (newValue ?? oldValue)?.stringValue : nil
        let named = listed ?? locations.lazy.compactMap { self.member(of: $0) }.first ?? newValue?.stringValue
        let member = named.map { " `\($0)`" } ?? ""
        let whom = "\(list(messages)):"
        switch rule {
        case "message-added": return "\(list(messages)) is a new message"
        case "message-removed": return "\(list(messages)) is gone"
        case "property-added-required": return "\(whom) a new required member\(member)"
        case "property-added-optional": return "\(whom) a new optional member\(member)"
        case "property-added-default": return "\(whom) a new optional member\(member) with a default"
        case "property-removed-required", "property-removed-optional": return "\(whom) the member\(member) is gone"
        case "property-became-required": return "\(whom)\(member) is required now"
        case "property-became-optional": return "\(whom)\(member) is optional now"
        case "enum-value-added": return "\(whom)\(member) may have a new value\(values)"
        case "enum-value-removed": return "\(whom)\(member) has lost a value\(values)"
        case "limit-tightened": return "\(whom)\(member) has a tighter limit\(values)"
        case "limit-loosened": return "\(whom)\(member) has a wider limit\(values)"
        case "became-nullable": return "\(whom)\(member) may be null"
        case "became-not-nullable": return "\(whom)\(member) is no longer ever null"
        default:
            return "\(whom) \(title)\(named.map { " at `\($0)`" } ?? "")\(values)"
        }
    }

    /// The member that a place in a schema concerns.
    private func member(of location: GateLocation) -> String? {
        let tokens = location.pointer.tokens
        guard let index = tokens.lastIndex(where: { $0 == "properties" || $0 == "$defs" }), index + 1 < tokens.count
        else { return nil }
        return tokens[index + 1]
    }
}
