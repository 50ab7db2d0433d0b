import Holdfast
import HoldfastTranscript

/// What a load tells while it runs; moments are in microseconds since it began.
package enum LoadNews: Sendable {
    /// So many devices begin their schedules.
    case began(devices: Int)
    /// Somebody waited so long, in microseconds, for what was intended at a moment.
    case time(LoadTime, Int, intendedAt: Int)
    /// An act began so long after it could and should have, in microseconds; the stage is to blame.
    case lag(Int, at: Int)
    /// A question was refused with this code.
    case refused(String)
    /// No connection came about.
    case unconnected
    /// A question had no ending when the run was over.
    case unanswered
    /// What a principal saw, up to a moment at which nothing was open.
    case history(History.Header, [Event], principal: String)
}
