/// What a person on a phone waits for under load, each counted from the moment at which the act was intended.
package enum LoadTime: String, Sendable, CaseIterable {
    case ack, firstTool, done, caughtUp

    package var words: String {
        switch self {
        case .ack: "time to ack"
        case .firstTool: "time to first tool"
        case .done: "time to done"
        case .caughtUp: "time to caught up"
        }
    }
}
