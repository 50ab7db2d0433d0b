import Holdfast
import Transcript

/// How a client finds what it missed.
extension CLIENT {
    static let recovering: [Check] = []
}
