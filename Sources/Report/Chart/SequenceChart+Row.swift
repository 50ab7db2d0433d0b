import HoldfastBasics
import HoldfastJudge
import HoldfastTranscript

extension SequenceChart {
    /// One line of a chart: a message, or something that happened in one place.
    package struct Row: Sendable, Equatable {
        package enum Location: Sendable, Hashable {
            /// From one column to another, by their places in `participants`.
            case message(from: Int, to: Int)
            /// In one column.
            case note(Int)
            /// Across the chart: the suite only watched.
            case pause
        }

        /// What kind of thing it is, for a shape beside the words.
        package enum Kind: String, Sendable, CaseIterable {
            /// A message, a request or a response.
            case message
            /// A ping or pong of the WebSocket protocol.
            case heartbeat
            /// A connection came about.
            case open
            /// A connection ended or was refused, or a request got no response.
            case end
            /// The suite did something, such as killing a process.
            case act
            /// The program showed its state.
            case state
            /// The suite watched for something.
            case wait
        }

        /// The events it stands for, as indices into the history.
        package let events: Range<Int>
        /// When, in microseconds since the history began.
        package let at: Int
        package let location: Location
        package let kind: Kind
        /// What it says in brief, such as `done(t1 #2)`.
        package let label: String
        package let verbatim: [Verbatim]
        /// The findings it belongs to; a clause once, in order.
        package let marks: [Mark]

        /// When, in milliseconds, such as `+1,240 ms`.
        package var time: String { "+\(readable(at / 1000)) ms" }
        package var isCited: Bool { marks.contains(where: \.isCited) }
    }

    /// One event as it was on the wire.
    package struct Verbatim: Sendable, Equatable {
        package let event: Int
        /// What it is, such as `text from the server`.
        package let title: String
        /// The text, harmless and cut; empty when the title says all.
        package let text: String
        /// The size of the whole text in bytes.
        package let bytes: Int
        package let isCut: Bool
    }
}
