import Holdfast
import Transcript

/// What becomes of what a person sends.
extension CLIENT {
    static let sending: [Check] = []
}
