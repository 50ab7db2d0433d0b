import Holdfast
import Transcript

/// How a client keeps its place in the stream.
extension CLIENT {
    static let stream: [Check] = []
}
