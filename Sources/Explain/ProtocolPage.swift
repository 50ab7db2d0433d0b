import Holdfast
import HoldfastReport
import HoldfastTranscript

/// The protocol in two screens of 24 lines and 80 columns: the rule, two histories, the areas, and where to go on.
package struct ProtocolPage {
    private let specification: Specification
    private let style: ConsoleStyle

    /// One question and its answer; then the same with a socket that dies before the answer came.
    private static let happy = "A+(e1 #0) A>chat(c1) A<ack(c1) A<toolUse(t1 #1) A<done(t1 #2)"
    private static let lost =
        "A+(e1 #2) A>chat(c2) A<ack(c2) A!cut A+(e1 #3) A>sync(e1 #2) "
        + "A<syncResult(e1 #3 complete)[done(t2 #3)]"

    package init(_ specification: Specification, _ style: ConsoleStyle) {
        self.specification = specification
        self.style = style
    }

    /// The page, without a line end.
    package var text: String {
        get throws {
            [
                paragraph(
                    "\(style.bold("One rule:")) the session on the server is the source of truth. The server stores, "
                        + "then sends; the client reconnects, asks for what it missed, resends with the same id, and "
                        + "shows nothing twice."),
                paragraph(
                    "\(style.bold("A question and its answer.")) `ack` says that the question is stored, `done` that "
                        + "the answer is. Frames of a turn carry rising numbers (#).")
                    + "\n" + (try chart(Self.happy)),
                paragraph(
                    "\(style.bold("A lost socket.")) The answer is stored while nobody listens. The client comes "
                        + "back, names the last number it saw, and gets what it missed, or a gap to read by REST.")
                    + "\n" + (try chart(Self.lost, without: 3)),
                style.bold("The areas") + ", and how many clauses each has\n" + areas,
                style.bold("Go on") + "\n" + ways,
            ].joined(separator: "\n\n")
        }
    }

    private func paragraph(_ text: String) -> String { style.wrapped(text, indent: 0) }

    /// Draws a history, without so many of its first rows.
    private func chart(_ notation: String, without count: Int = 0) throws -> String {
        let header = History.Header(
            subject: History.Subject(name: "server", role: .server, profiles: [.core, .sync]))
        let history = try NotationExpansion(notation, header: header).history
        let lines = TextChart(SequenceChart(history, maxVerbatim: 0), style: style, indent: 2).lines()
        return (lines.prefix(1) + lines.dropFirst(1 + count)).map { "  " + $0 }.joined(separator: "\n")
    }

    /// Two beside each other where there is room.
    private var areas: String {
        let handbook = Handbook(specification)
        let entries = Area.allCases.map { area in
            let count = specification.clauses.count { $0.id.area == area }
            return "\(padded(area.rawValue, 8))\(aligned("\(count)", 3))  \(handbook.introduction(to: area).title)"
        }
        let half = (entries.count + 1) / 2
        let column = (entries.prefix(half).map(\.count).max() ?? 0) + 2
        guard column + (entries.dropFirst(half).map(\.count).max() ?? 0) + 2 <= style.width else {
            return entries.map { "  " + style.cut($0, to: style.width - 2) }.joined(separator: "\n")
        }
        return (0..<half).map { row in
            let right = half + row < entries.count ? entries[half + row] : ""
            return "  " + (right.isEmpty ? entries[row] : padded(entries[row], column) + right)
        }.joined(separator: "\n")
    }

    private var ways: String {
        [
            ("conformance explain SYNC", "the clauses of an area"),
            ("conformance explain SYNC-3", "a clause, kept and broken"),
            ("conformance serve", "a server to try a client on"),
            ("conformance server URL", "test a server"),
            ("conformance client -- DRIVER", "test a client"),
        ].map { command, what in
            style.wrapped("\(padded(command, 30))\(what)", indent: 2, hanging: 30, keepingSpaces: 30)
        }.joined(separator: "\n")
    }
}
