import Holdfast
import HoldfastJudge
import HoldfastTranscript

/// A history as a message-sequence chart: who took part, and what passed between them, in the order of time.
///
/// A value to draw from; the HTML report and the terminal show the same one. All texts in it are harmless to a reader:
/// control characters and marks that turn the direction of writing are shown by number, and long texts are cut.
package struct SequenceChart: Sendable, Equatable {
    /// Who took part, from left to right; only those that occur.
    let participants: [Participant]
    /// What was observed, in order; each event of the history belongs to one row.
    package let rows: [Row]

    package struct Participant: Sendable, Hashable {
        /// What a column stands for.
        package enum Kind: String, Sendable, CaseIterable {
            /// The program under test or its process: started, killed, shown.
            case process
            /// One device's connection.
            case connection
            /// The server's end.
            case server
            /// Whoever reads and writes over HTTP: what is stored shows here.
            case rest
            /// The push service.
            case push
        }

        package let kind: Kind
        /// Its heading, such as `A`, `server` or `REST`.
        package let name: String

        /// What it is, in words for a person who sees such a chart for the first time.
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

    /// A finding as a mark on the rows it is about.
    package struct Mark: Sendable, Hashable {
        /// The clause; nil for an observation, which belongs to none.
        package let clause: ClauseID?
        /// Whether the verdict cites this row; other rows only lead to it.
        package let isCited: Bool
    }

    /// A finding to be marked.
    package struct Claim: Sendable {
        /// The clause; nil for an observation.
        let clause: ClauseID?
        /// The events that show it, as places in the history; the last is the one to look at.
        let events: [Int]

        package init(_ clause: ClauseID, _ finding: Finding) { (self.clause, events) = (clause, finding.events) }

        /// Events to look at, whatever the reason.
        package init(_ events: [Int], on clause: ClauseID?) { (self.clause, self.events) = (clause, events) }
    }

    /// The most characters of a verbatim text, unless said otherwise.
    package static let maxVerbatim = 4096

    /// The chart of a history.
    ///
    /// * `maxVerbatim`: The most characters of each verbatim text; longer ones are cut and say so.
    package init(_ history: History, marking claims: [Claim] = [], maxVerbatim: Int = SequenceChart.maxVerbatim) {
        let builder = ChartBuilder(history, claims: claims, maxVerbatim: maxVerbatim)
        participants = builder.participants
        rows = builder.rows()
    }

    /// The place of the row an event belongs to; nil when there is no such event.
    package func row(of event: Int) -> Int? {
        var (low, high) = (0, rows.count)
        while low < high {
            let middle = (low + high) / 2
            if rows[middle].events.upperBound <= event { low = middle + 1 } else { high = middle }
        }
        return low < rows.count && rows[low].events.contains(event) ? low : nil
    }
}
