import HoldfastBasics
import HoldfastJudge
import HoldfastTranscript

extension SequenceChart {
    /// One line of a chart: a message, or an event in one place.
    package struct Row: Sendable, Equatable {
        package enum Location: Sendable, Hashable {
            /// From one column to another, as indices of `participants`.
            case message(from: Int, to: Int)
            /// In one column.
            case note(Int)
            /// Across the chart: the suite waited.
            case pause
        }

        package enum Kind: String, Sendable, CaseIterable {
            case message
            /// A ping or pong of the WebSocket protocol.
            case heartbeat
            case open
            /// A connection ended or was refused, or a request failed.
            case end
            /// An act of the suite, such as killing a process.
            case act
            case state
            case wait
        }

        /// Its events, as indices of the history.
        package let events: Range<Int>
        /// The time in microseconds since the history began; nil in a capture without times.
        package let at: Int?
        package let location: Location
        package let kind: Kind
        /// A summary, such as `done(t1 #2)`.
        package let label: String
        package let verbatim: [Verbatim]
        /// The findings about it; each clause once, in order.
        package let marks: [Mark]

        /// The time in milliseconds, such as `+1,240 ms`; empty if it is unknown.
        package var time: String { at.map { "+\(readable($0 / 1000)) ms" } ?? "" }
        package var isCited: Bool { marks.contains(where: \.isCited) }
    }

    /// One event as on the wire.
    package struct Verbatim: Sendable, Equatable {
        package let event: Int
        /// A description, such as `text from the server`.
        package let title: String
        /// The text, escaped and cut; empty if the title says everything.
        package let text: String
        /// The size of the full text in bytes.
        package let bytes: Int
        package let isCut: Bool
    }
}
