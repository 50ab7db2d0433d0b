/// The reference server without its sockets, disk and clock, for callers that supply these.
///
/// One value is one process: it starts with the records on its disk and loses its memory when it ends.
package struct BareServer: Sendable {
    private var core: FaultyCore

    package let stopCode: UInt16

    /// A process that starts with the records on its disk; equal seeds draw equal ids.
    package init(_ configuration: ReferenceConfiguration, disk: [StoredRecord], seed: UInt64) {
        let rules = configuration.rules
        stopCode = rules.stopCode
        core = FaultyCore(rules, records: disk, ids: IDSource(seed: seed), defects: configuration.defects)
        core.core.replies = configuration.replies
    }

    package var isIdle: Bool { core.isIdle }

    /// Time on two clocks, in microseconds; returns the actions in order.
    package mutating func handle(_ input: Input, steady: Int, wall: Int) -> [Effect] {
        core.handle(input, at: Moment(steady: steady, wall: wall))
    }
}
