import Holdfast
import HoldfastBasics
import HoldfastJSON
import HoldfastSchemaDiff

/// The facts in the tables of the chapters.
enum ChapterFacts {
    private struct Table: Sendable {
        let header: [String]
        /// Further columns to read.
        var columns: [String] = []
        let facts: @Sendable (Row) -> [Fact]
    }

    private struct Row: Sendable {
        let kind: Table
        let name: String
        let header: [String]
        let cells: [String]
        let file: String
        let line: Int

        /// A cell without links and emphasis, by the name of its column.
        subscript(column: String) -> String {
            guard let index = header.firstIndex(of: column), index < cells.count else { return "" }
            var text = cells[index]
            if text.contains("[") {
                for link in text.matches(of: /\s*\(?(\[[A-Z]+-[0-9]+\](, )?)+\)?/).reversed() {
                    text.removeSubrange(link.range)
                }
            }
            return text.replacing("**", with: "").split(whereSeparator: \.isWhitespace).joined(separator: " ")
        }

        func fact(
            _ rule: FactRule, _ detail: String? = nil, value: JSONValue = .null, bound: Duration? = nil,
            obliged: [GateParty] = [], parents: [String] = []
        ) -> Fact {
            Fact(
                rule: rule, key: detail.map { "\(name): \($0)" } ?? name, value: value, bound: bound,
                location: GateLocation(
                    file: file, pointer: JSONPointer(tokens: [rule.id, name] + (detail.map { [$0] } ?? [])), line: line),
                subject: name, obliged: obliged, parents: [table.id] + parents)
        }

        func fact(_ rule: FactRule, _ detail: String? = nil, in column: String) -> [Fact] {
            guard header.contains(column) else { return [] }
            return [fact(rule, detail, value: .string(self[column]), parents: [rowID, id(of: column)])]
        }

        func words(_ rule: FactRule, in column: String) -> [Fact] {
            fact(rule, in: column).map {
                var fact = $0
                (fact.words, fact.value) = (fact.value, .null)
                return fact
            }
        }

        /// The id of the row's fact.
        var rowID: String { "\(rowRule.id): \(name)" }

        /// The id of a column's fact; a column that defines the table belongs to the table's fact.
        func id(of column: String) -> String { kind.columns.contains(column) ? self.column(column).id : table.id }

        func column(_ name: String) -> Fact {
            Fact(
                rule: .column, key: "\(table.key): \(name)", location: table.location, subject: name,
                parents: [table.id])
        }

        var table: Fact {
            let title = header.prefix(2).joined(separator: ", ")
            return Fact(
                rule: .table, key: title,
                location: GateLocation(file: file, pointer: JSONPointer(tokens: ["table", title]), line: line),
                subject: title
            )
        }

        var rowRule: FactRule {
            switch header.first {
            case "code": header.contains("sent by") ? .closeCode : .errorCode
            case "reason": .gapReason
            case "name": .timeout
            case "input", "what arrives": .answerRow
            default: .profile
            }
        }
    }

    private static let tables = [
        Table(header: ["code", "means"], columns: ["over REST", "ends a turn", "asking again"]) { row in
            [row.fact(.errorCode)] + row.words(.errorCodeMeaning, in: "means")
                + ["over REST", "ends a turn", "asking again"].flatMap { row.fact(.errorCodeEffect, $0, in: $0) }
        },
        Table(header: ["code", "meaning", "sent by"], columns: ["the client then"]) { row in
            let effect = row["the client then"]
            // A terminal code breaks clients even if the code itself is new.
            let terminal = row.fact(
                .terminalCode, value: .string(effect), parents: [row.id(of: "the client then")])
            return [row.fact(.closeCode)] + row.words(.closeCodeMeaning, in: "meaning")
                + row.fact(.closeCodeSender, in: "sent by")
                + (effect.contains("terminal") ? [terminal] : row.fact(.closeCodeEffect, in: "the client then"))
        },
        Table(header: ["name", "value"], columns: ["from – to"]) { row in
            let (bound, terms) = duration(row["value"])
            var timeout = row.fact(.timeout, value: .string(row["value"]), bound: bound, obliged: peers(row.name))
            timeout.words = .string(terms)
            return [timeout] + row.fact(.timeoutSpan, in: "from – to")
        },
        Table(header: ["reason"], columns: ["what happened", "what the client does"]) { row in
            [row.fact(.gapReason)] + row.words(.gapReasonMeaning, in: "what happened")
                + row.fact(.gapReasonEffect, in: "what the client does")
        },
        Table(header: ["input", "answer"]) { answers($0, "answer") },
        Table(header: ["what arrives", "what the server does"]) { answers($0, "what the server does") },
        Table(header: ["profile", "side"], columns: ["needs"]) { row in
            let obliged = Role(rawValue: row["side"]).map { [GateParty($0, profile: row.name)] } ?? []
            return [row.fact(.profile)] + row.fact(.profileSide, in: "side")
                + row["needs"].matches(of: /`([^`]+)`/).map { need in
                    row.fact(
                        .profileNeed, String(need.1), obliged: obliged, parents: [row.rowID, row.id(of: "needs")])
                }
        },
    ]

    /// Bounds on clients; a bound in neither list counts for both sides.
    private static let clientBounds: Set = [
        "foregroundReconnect", "resend", "silence", "backoff", "polling", "degraded", "attempts", "driver",
        "scheduling",
    ]
    private static let serverBounds: Set = [
        "connect", "ack", "turn", "pong", "rest", "sync", "error", "close", "stop", "push", "start",
    ]

    private static func peers(_ bound: String) -> [GateParty] {
        clientBounds.contains(bound)
            ? [GateParty(.client)] : serverBounds.contains(bound) ? [GateParty(.server)] : []
    }

    /// The codes of an answer, and the words around them.
    private static func answers(_ row: Row, _ column: String) -> [Fact] {
        var input = row.fact(.answerRow)
        input.words = .string(row.name)
        let terms = row.words(.answerTerms, in: column).map {
            var fact = $0
            (fact.words, fact.sentence) = (.string(wordsAround(codesOf: row[column])), .string(row[column]))
            return fact
        }
        return [input] + terms
            + row[column].matches(of: /`([^`]+)`|\b([0-9]{4})\b/).map { match in
                row.fact(.answer, (match.1 ?? match.2).map(String.init) ?? "", parents: [row.rowID])
            }
    }

    /// The words of an answer without its codes: `@` is one code, or a choice of several; `@, @` is several in order.
    private static func wordsAround(codesOf answer: String) -> String {
        answer.replacing(/`[^`]+`|(close )?\b[0-9]{4}\b/, with: "@")
            .replacing(/@((, or | or |, )@)+/) { $0.0.contains(" or ") ? "@" : String($0.0) }
    }

    static func facts(of state: ProtocolState) -> [Fact] {
        rows(of: state).flatMap { row in
            [row.table] + row.kind.columns.filter(row.header.contains).map(row.column) + row.kind.facts(row)
        } + otherRows(of: state) + Passages.facts(of: state)
    }

    /// The rows of tables that the gate does not know: their first cells, and the code and numbers in the others.
    private static func otherRows(of state: ProtocolState) -> [Fact] {
        state.texts(below: "chapters/", ".md").flatMap { path, text -> [Fact] in
            var facts: [String: Fact] = [:]
            for table in MarkdownTable.tables(in: text) where kind(of: table) == nil {
                for row in table.rows where !row.name.isEmpty {
                    let key = "\(table.header.first ?? "") \(row.name)"
                    func add(_ rule: FactRule, _ added: [String]) {
                        let location = GateLocation(
                            file: path, pointer: JSONPointer(tokens: [rule.id, key]), line: row.line)
                        // Tables of one kind may have rows with the same name.
                        let known = facts[rule.id + key]
                        let before = known?.value.arrayValue?.compactMap(\.stringValue) ?? []
                        facts[rule.id + key] = Fact(
                            rule: rule, key: "\(path) \(key)",
                            value: .array(Set(before + added).sorted().map { .string($0) }),
                            location: known?.location ?? location,
                            // The name ends at a comma, or at the `?` of an optional part.
                            subject: String(row.name.prefix { !"?,".contains($0) }))
                    }
                    let cells = row.cells.dropFirst()
                    let numbers = cells.flatMap(Passages.numbers)
                    let binds = path.contains(/\/0[4-7]-/)
                    // A cell of one word is itself a value; in longer cells, only code and clauses count.
                    add(
                        .tableRow,
                        cells.flatMap { cell in
                            cell.contains(" ")
                                ? cell.matches(of: /`[^`]+`|\b[A-Z]+-[0-9]+\b/).map { String($0.0) } : [cell]
                        } + (binds ? [] : numbers))
                    if binds { add(.rowNumber, numbers) }
                }
            }
            return facts.values.sorted { $0.id < $1.id }
        }
    }

    private static func kind(of table: MarkdownTable) -> Table? {
        let header = table.header.map { $0.filter { $0 != "`" } }
        return tables.first { header.starts(with: $0.header) }
    }

    /// The named timeouts of a state, from chapter 3.4.
    static func timeouts(of state: ProtocolState) -> [String: Duration] {
        let bounds = rows(of: state).filter { $0.rowRule == .timeout }
        return Dictionary(
            bounds.compactMap { row in duration(row["value"]).0.map { (row.name, $0) } },
            uniquingKeysWith: { first, _ in first })
    }

    private static func rows(of state: ProtocolState) -> [Row] {
        state.texts(below: "chapters/", ".md").flatMap { path, text in
            MarkdownTable.tables(in: text).flatMap { table -> [Row] in
                let header = table.header.map { $0.filter { $0 != "`" } }
                guard let kind = kind(of: table) else { return [] }
                return table.rows.flatMap { row in
                    // A row may name several codes: 1002, 1003, 1007.
                    let names =
                        kind.header[0] == "code"
                        ? row.name.split(separator: ",").map { String($0.trimmed(\.isWhitespace)) } : [row.name]
                    return names.map {
                        Row(kind: kind, name: $0, header: header, cells: row.cells, file: path, line: row.line)
                    }
                }
            }
        }
    }

    /// A length such as `10 s`, and the terms after it.
    private static func duration(_ text: String) -> (Duration?, terms: String) {
        guard let match = text.prefixMatch(of: /([0-9]+) (ms|s|min)\b/), let number = Int(match.1) else {
            return (nil, "")
        }
        let length: Duration = match.2 == "ms" ? .milliseconds(number) : .seconds(match.2 == "s" ? number : number * 60)
        return (length, String(text[match.range.upperBound...]))
    }
}

/// The values in open sets (`x-extensible-enum`): writers use only these, readers accept any value.
enum OpenSetFacts {
    static func facts(of state: ProtocolState) -> [Fact] {
        let schemas = state.texts(below: "schemas/", ".json").filter { !$0.path.hasPrefix("schemas/files/") }
        return schemas.flatMap { path, text -> [Fact] in
            guard text.contains(keyword), let root = try? JSONParser.value(text) else { return [] }
            return lists(in: root).flatMap { pointer, values -> [Fact] in
                // A list within `allOf` belongs to the schema around it.
                let name = pointer.tokens.last { $0 != "allOf" && Int($0) == nil } ?? path
                // A definition travels like the messages that refer to it.
                let writers =
                    root["x-direction"] != nil ? [text] : schemas.map(\.text).filter { $0.contains("/\(name)\"") }
                let ways = Set(writers.compactMap { (try? JSONParser.value($0))?["x-direction"]?.stringValue })
                let obliged = [Role.server, .client].filter { ways.contains($0.rawValue) || ways.contains("both") }
                func fact(_ rule: FactRule, _ key: String, _ subject: String, _ tokens: [String]) -> Fact {
                    Fact(
                        rule: rule, key: key, location: GateLocation(file: path, pointer: JSONPointer(tokens: tokens)),
                        subject: subject, obliged: obliged.map { GateParty($0) })
                }
                let list = pointer.tokens + [keyword]
                let set = fact(.openSet, name, name, list)
                return [set]
                    + values.enumerated().map { index, value in
                        var fact = fact(.openValue, "\(name) \(value)", value, list + [value])
                        fact.place = JSONPointer(tokens: list + [String(index)])
                        // The table of error codes may report the same change.
                        fact.parents = [set.id, "\(FactRule.errorCode.id): \(value)"]
                        return fact
                    }
            }
        }
    }

    static let keyword = "x-extensible-enum"

    private static func lists(in value: JSONValue, at pointer: JSONPointer = JSONPointer()) -> [(JSONPointer, [String])]
    {
        if let parts = value.arrayValue {
            return parts.enumerated().flatMap { lists(in: $0.element, at: pointer.appending(String($0.offset))) }
        }
        return (value.objectValue ?? [:]).flatMap { member in
            member.key == keyword
                ? [(pointer, (member.value.arrayValue ?? []).compactMap(\.stringValue))]
                : lists(in: member.value, at: pointer.appending(member.key))
        }
    }
}
