import Holdfast
import HoldfastReport

/// The protocol on one sheet, and the commands to continue with.
package struct ProtocolPage {
    private let specification: Specification
    private let style: ConsoleStyle

    package init(_ specification: Specification, _ style: ConsoleStyle) {
        self.specification = specification
        self.style = style
    }

    /// The page, without a final newline.
    package var text: String {
        let sheet = Handbook(specification).sheet
        return [
            style.bold(sheet.title), PlainMarkdown(style: style).text(sheet.text), style.bold("Go on") + "\n" + ways,
        ].joined(separator: "\n\n")
    }

    private var ways: String {
        [
            ("conformance explain SYNC", "the clauses of an area: \(areas)"),
            ("conformance explain SYNC-3", "a clause, kept and broken"),
            ("conformance serve", "a server to try a client on"),
            ("conformance server URL", "test a server"),
            ("conformance client -- DRIVER", "test a client"),
        ].map { command, what in
            style.wrapped("\(padded(command, 30))\(what)", indent: 2, hanging: 30, keepingSpaces: 30)
        }.joined(separator: "\n")
    }

    private var areas: String { Area.allCases.map(\.rawValue).joined(separator: " ") }
}
