import Holdfast
import HoldfastJudge
import HoldfastTranscript

/// A history as a sequence chart: the participants and their messages, in time order.
///
/// The HTML report and the terminal draw the same chart. All texts are harmless: control characters and changes of
/// writing direction are shown by number, and long texts are cut.
package struct SequenceChart: Sendable, Equatable {
    let participants: [Participant]
    /// The rows in order; each event belongs to one.
    package let rows: [Row]

    package struct Participant: Sendable, Hashable {
        package enum Kind: String, Sendable, CaseIterable {
            /// The program under test, or its process.
            case process
            case connection
            case server
            /// Clients of the REST interface, where stored state shows.
            case rest
            case push
        }

        package let kind: Kind
        /// Its heading, such as `A`, `server` or `REST`.
        package let name: String

        /// An explanation for people new to such charts.
        package var meaning: String {
            switch kind {
            case .process: "the program under test: actions and state"
            case .connection: "WebSocket connection of device \(name)"
            case .server: "the server's side of connections and requests"
            case .rest: "HTTP requests"
            case .push: "push service"
            }
        }
    }

    /// A finding, as a mark on its rows.
    package struct Mark: Sendable, Hashable {
        /// The clause; nil for an observation.
        package let clause: ClauseID?
        /// Whether the verdict cites this row; otherwise the row only leads to it.
        package let isCited: Bool
    }

    package struct Claim: Sendable {
        /// The clause; nil for an observation.
        let clause: ClauseID?
        /// Its evidence, as indices of the history; the last event is the cited one.
        let events: [Int]

        package init(_ clause: ClauseID, _ finding: Finding) { (self.clause, events) = (clause, finding.events) }

        package init(_ events: [Int], on clause: ClauseID?) { (self.clause, self.events) = (clause, events) }
    }

    /// The default limit for verbatim texts, in characters.
    package static let maxVerbatim = 4096

    /// `maxVerbatim` limits each verbatim text, in characters; longer ones are cut.
    package init(_ history: History, marking claims: [Claim] = [], maxVerbatim: Int = SequenceChart.maxVerbatim) {
        let builder = ChartBuilder(history, claims: claims, maxVerbatim: maxVerbatim)
        participants = builder.participants
        rows = builder.rows()
    }

    package func row(of event: Int) -> Int? {
        var (low, high) = (0, rows.count)
        while low < high {
            let middle = (low + high) / 2
            if rows[middle].events.upperBound <= event { low = middle + 1 } else { high = middle }
        }
        return low < rows.count && rows[low].events.contains(event) ? low : nil
    }
}
