import Holdfast
import JSON
import SchemaDiff

/// Compares the tables of the chapters that programs are written from: error codes, close codes, timeouts and reasons.
struct TableComparison {
    /// A table the gate knows by its header.
    private struct Kind {
        /// The first cells of its header.
        let header: [String]
        /// What rules about it are called.
        let rule: String
        /// What a row is called in words.
        let word: String
        let added: GateSeverity
        let addedWhy: String
    }

    private static let kinds = [
        Kind(
            header: ["code", "means"], rule: "error-code", word: "error code", added: .warning,
            addedWhy: "clients of the old version treat it as 'internal'"),
        Kind(
            header: ["code", "meaning", "sent by"], rule: "close-code", word: "close code", added: .warning,
            addedWhy: "clients of the old version reconnect with backoff, as after any other code"),
        Kind(
            header: ["name", "value"], rule: "timeout", word: "timeout", added: .warning,
            addedWhy: "whoever is slower than that turns red"),
        Kind(
            header: ["reason"], rule: "gap-reason", word: "reason", added: .warning,
            addedWhy: "clients of the old version do not know what to do about it"),
    ]

    /// The name of the rule for a change of a table.
    private struct Row {
        let row: MarkdownTable.Row
        let place: GatePlace
    }

    /// Compares the tables of two states.
    static func entries(_ old: ProtocolState, _ new: ProtocolState) -> [GateEntry] {
        kinds.flatMap { kind in
            let before = rows(kind, of: old)
            let after = rows(kind, of: new)
            return before.order.compactMap { name -> GateEntry? in
                guard let was = before.rows[name] else { return nil }
                guard let now = after.rows[name] else { return removed(kind, name, was) }
                return was.row.cells == now.row.cells ? nil : changed(kind, name, was, now)
            }
                + after.order.filter { before.rows[$0] == nil }.compactMap { name in
                    after.rows[name].map { added(kind, name, $0) }
                }
        }
    }

    /// The named timeouts of a state, as chapter 3.4 has them.
    static func timeouts(of state: ProtocolState) -> [String: Duration] {
        guard let kind = kinds.first(where: { $0.rule == "timeout" }) else { return [:] }
        return rows(kind, of: state).rows.compactMapValues { $0.row.cells.count > 1 ? duration($0.row.cells[1]) : nil }
    }

    /// Reads `10 s`.
    private static func duration(_ text: String) -> Duration? {
        let parts = text.split(separator: " ")
        guard parts.count == 2, let number = Int(parts[0]) else { return nil }
        switch parts[1] {
        case "ms": return .milliseconds(number)
        case "s": return .seconds(number)
        case "min": return .seconds(number * 60)
        default: return nil
        }
    }

    private static func rows(_ kind: Kind, of state: ProtocolState) -> (rows: [String: Row], order: [String]) {
        var rows: [String: Row] = [:]
        var order: [String] = []
        for (path, text) in state.texts(below: "chapters/", ".md") {
            for table in MarkdownTable.tables(in: text) where table.header.starts(with: kind.header) {
                for row in table.rows {
                    // A row may name several codes: 1002, 1003, 1007.
                    for name in row.name.split(separator: ",").map(\.trimmed) where rows[name] == nil {
                        order.append(name)
                        rows[name] = Row(
                            row: row,
                            place: GatePlace(
                                file: path, pointer: JSONPointer(tokens: [kind.rule, name]), line: row.line))
                    }
                }
            }
        }
        return (rows, order)
    }

    private static func value(_ row: Row) -> JSONValue { .string(row.row.cells.joined(separator: " | ")) }

    private static func added(_ kind: Kind, _ name: String, _ row: Row) -> GateEntry {
        GateEntry(
            GateFinding(
                rule: "\(kind.rule)-added", severity: kind.added, direction: .serverToClient, new: row.place,
                newValue: value(row), why: "the \(kind.word) '\(name)' is new; \(kind.addedWhy)"),
            rise: .minor, subjects: [name])
    }

    private static func removed(_ kind: Kind, _ name: String, _ row: Row) -> GateEntry {
        GateEntry(
            GateFinding(
                rule: "\(kind.rule)-removed", severity: .warning, direction: nil, old: row.place, oldValue: value(row),
                why: "the \(kind.word) '\(name)' is gone; peers of the old version still use it"),
            rise: .minor, subjects: [name])
    }

    private static func changed(_ kind: Kind, _ name: String, _ old: Row, _ new: Row) -> GateEntry {
        var why = "the \(kind.word) '\(name)' says something else now; peers of the old version act by what it said"
        if kind.rule == "timeout", let before = old.row.cells.dropFirst().first.flatMap(duration),
            let after = new.row.cells.dropFirst().first.flatMap(duration), before != after
        {
            why =
                after < before
                ? "the bound '\(name)' is shorter: whoever kept \(old.row.cells[1]) and no more is late now"
                : "the bound '\(name)' is longer: whoever waits has to wait until \(new.row.cells[1])"
        }
        return GateEntry(
            GateFinding(
                rule: "\(kind.rule)-changed", severity: .warning, direction: nil, old: old.place, new: new.place,
                oldValue: value(old), newValue: value(new), why: why),
            rise: .minor, subjects: [name])
    }
}
