import Holdfast
import Transcript

/// What the history records, for who reads no further.
extension Observations {
    /// The events, in the order of time.
    var events: [Event] { history.events }
    /// Who is judged.
    var subject: History.Subject { history.header.subject }
    /// What nobody saw of a capture; nil where a stage recorded the history.
    var capture: History.Capture? { history.header.capture }
    /// What each event holds of a frame; nil for one that is no frame.
    var frames: [Frame?] { history.frames }
}
