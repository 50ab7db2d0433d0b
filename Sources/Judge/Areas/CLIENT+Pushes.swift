import Holdfast
import Transcript

/// Where a notification leads.
extension CLIENT {
    static let pushes: [Check] = []
}
