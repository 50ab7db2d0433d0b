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
        let addedWhy: String
    }

    private static let timeout = Kind(
        header: ["name", "value"], rule: "timeout", word: "timeout", addedWhy: "whoever is slower than that turns red")

    private static let kinds = [
        Kind(
            header: ["code", "means"], rule: "error-code", word: "error code",
            addedWhy: "clients of the old version treat it as 'internal'"),
        Kind(
            header: ["code", "meaning", "sent by"], rule: "close-code", word: "close code",
            addedWhy: "clients of the old version reconnect with backoff, as after any other code"),
        timeout,
        Kind(
            header: ["reason"], rule: "gap-reason", word: "reason",
            addedWhy: "clients of the old version do not know what to do about it"),
    ]

    /// One name of a row, with the cells of the row.
    private struct Row {
        let name: String
        let cells: [String]
        let place: GatePlace

        var value: JSONValue { .string(cells.joined(separator: " | ")) }

        /// The second cell, such as `10 s`, as a duration.
        var duration: Duration? {
            let parts = (cells.dropFirst().first ?? "").split(separator: " ")
            guard parts.count == 2, let number = Int(parts[0]) else { return nil }
            switch parts[1] {
            case "ms": return .milliseconds(number)
            case "s": return .seconds(number)
            case "min": return .seconds(number * 60)
            default: return nil
            }
        }
    }

    /// Compares the tables of two states.
    static func entries(_ old: ProtocolState, _ new: ProtocolState) -> [GateEntry] {
        kinds.flatMap { kind in
            compare(rows(kind, of: old), rows(kind, of: new), by: \.name) { row in
                [
                    entry(
                        kind, "removed", row, nil,
                        why: "the \(kind.word) '\(row.name)' is gone; peers of the old version still use it")
                ]
            } changed: { was, now in
                was.cells == now.cells ? [] : [entry(kind, "changed", was, now, why: why(kind, was, now))]
            } added: { row in
                [entry(kind, "added", nil, row, why: "the \(kind.word) '\(row.name)' is new; \(kind.addedWhy)")]
            }
        }
    }

    /// The named timeouts of a state, as chapter 3.4 has them.
    static func timeouts(of state: ProtocolState) -> [String: Duration] {
        Dictionary(
            rows(timeout, of: state).compactMap { row in row.duration.map { (row.name, $0) } },
            uniquingKeysWith: { first, _ in first })
    }

    private static func rows(_ kind: Kind, of state: ProtocolState) -> [Row] {
        var names: Set<String> = []
        return state.texts(below: "chapters/", ".md").flatMap { path, text in
            MarkdownTable.tables(in: text).filter { $0.header.starts(with: kind.header) }.flatMap(\.rows)
                .flatMap { row in
                    // A row may name several codes: 1002, 1003, 1007.
                    row.name.split(separator: ",").map(\.trimmed).map { name in
                        Row(
                            name: name, cells: row.cells,
                            place: GatePlace(
                                file: path, pointer: JSONPointer(tokens: [kind.rule, name]), line: row.line))
                    }
                }
        }.filter { names.insert($0.name).inserted }
    }

    private static func why(_ kind: Kind, _ old: Row, _ new: Row) -> String {
        guard kind.rule == "timeout", let before = old.duration, let after = new.duration, before != after else {
            return
                "the \(kind.word) '\(new.name)' says something else now; peers of the old version act by what it said"
        }
        return after < before
            ? "the bound '\(new.name)' is shorter: whoever kept \(old.cells[1]) and no more is late now"
            : "the bound '\(new.name)' is longer: whoever waits has to wait until \(new.cells[1])"
    }

    private static func entry(_ kind: Kind, _ change: String, _ old: Row?, _ new: Row?, why: String) -> GateEntry {
        GateEntry(
            "\(kind.rule)-\(change)", .warning, direction: old == nil ? .serverToClient : nil, old: old?.place,
            new: new?.place, oldValue: old?.value, newValue: new?.value,
            why: why, subjects: [new ?? old].compactMap { $0?.name })
    }
}
