import Holdfast
import Transcript

/// How a client comes to a connection and keeps it, or does not.
extension CLIENT {
    static let connecting: [Check] = []
}
