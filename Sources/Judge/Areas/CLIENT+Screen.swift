import Holdfast
import Transcript

/// What a person sees.
extension CLIENT {
    static let screen: [Check] = []
}
