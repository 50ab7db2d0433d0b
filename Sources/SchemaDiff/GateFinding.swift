import HoldfastJSON

/// One difference between two versions, with its meaning for one direction.
package struct GateFinding: Sendable, Equatable {
    /// The id of the rule, such as `enum-value-added`.
    package var rule: String
    package var severity: GateSeverity
    /// The direction of the messages; nil if it concerns no message, such as a policy.
    package var direction: GateDirection?
    /// The messages it affects, sorted.
    package var messages: [String]
    /// Its place in the old version; nil if it is new.
    package var old: GateLocation?
    /// Its place in the new version; nil if it was removed.
    package var new: GateLocation?
    package var oldValue: JSONValue?
    package var newValue: JSONValue?
    /// The peers that break and how, or the reason why none do.
    package var why: String
    /// Peers of the old version that break: clients that meet new servers, servers that meet new clients.
    package var breaks: Set<GatePeer> = []
    /// The change in words; nil if rule and values express it.
    package var words: String?
    /// A message that shows the break, confirmed by the validator on both sides.
    package var witness: GateWitness?

    package init(
        rule: String, severity: GateSeverity, direction: GateDirection?, messages: [String] = [],
        old: GateLocation? = nil, new: GateLocation? = nil, oldValue: JSONValue? = nil, newValue: JSONValue? = nil,
        why: String, witness: GateWitness? = nil
    ) {
        (self.rule, self.severity, self.direction) = (rule, severity, direction)
        self.messages = messages.sorted()
        (self.old, self.new, self.oldValue) = (old, new, oldValue)
        (self.newValue, self.why, self.witness) = (newValue, why, witness)
    }

    /// A hash of the rule, the direction, the pointers and the values, without line numbers, for waivers.
    ///
    /// Sixteen hexadecimal digits, by FNV-1a over the parts with their lengths.
    package var fingerprint: String {
        let parts = [
            rule, direction?.rawValue ?? "", old?.pointerText ?? "", new?.pointerText ?? "",
            oldValue?.text(sortedKeys: true) ?? "", newValue?.text(sortedKeys: true) ?? "",
        ]
        let hash = parts.flatMap { Array("\($0.utf8.count):\($0)".utf8) }.reduce(0xcbf2_9ce4_8422_2325 as UInt64) {
            ($0 ^ UInt64($1)) &* 0x100_0000_01b3
        }
        let digits = String(hash, radix: 16)
        return String(repeating: "0", count: 16 - digits.count) + digits
    }
}

/// A place in a file of one version.
package struct GateLocation: Sendable, Hashable {
    /// The file, as the version names it: `schemas/messages/chat.json`.
    package let file: String
    /// The place inside it.
    package let pointer: JSONPointer
    /// The line at which it starts, from 1; nil if unknown.
    package let line: Int?

    package init(file: String, pointer: JSONPointer = JSONPointer(), line: Int? = nil) {
        (self.file, self.pointer, self.line) = (file, pointer, line)
    }

    /// A place in a text, with the line of the nearest value there or above; `place` is the position if the pointer is
    /// only a name.
    package init(file: String, pointer: JSONPointer, in text: String?, at place: JSONPointer? = nil) {
        var known: JSONPointer? = place ?? pointer
        var line: Int?
        while let there = known, line == nil {
            line = text.flatMap { JSONParser.location(of: there, in: $0)?.line }
            known = there.parent
        }
        self.init(file: file, pointer: pointer, line: line)
    }

    /// File and pointer, without the line: `schemas/messages/chat.json#/required`.
    package var pointerText: String { "\(file)#\(pointer)" }
}

/// A message that one version accepts and the other rejects.
package struct GateWitness: Sendable, Equatable {
    package enum Version: String, Sendable, Hashable {
        case old, new
    }

    package let message: String
    package let json: String
    /// The version by which it is valid: the writer's.
    package let validBy: Version
    /// The version by which it is invalid: the reader's.
    package let invalidBy: Version
    /// The reader's validation error.
    package let complaint: String

    package init(message: String, json: String, validBy: Version, invalidBy: Version, complaint: String) {
        (self.message, self.json, self.validBy) = (message, json, validBy)
        (self.invalidBy, self.complaint) = (invalidBy, complaint)
    }
}

package enum GateSeverity: String, Sendable, Hashable, CaseIterable, Comparable {
    /// No peer breaks; stated for completeness.
    case information
    /// A peer may break if it relied on more than was promised.
    case warning
    /// A peer that conforms to the old version, or to the new one, breaks.
    case error

    /// The milder one is smaller.
    package static func < (left: GateSeverity, right: GateSeverity) -> Bool {
        left != right && (left == .information || right == .error)
    }
}

/// The direction of a message.
package enum GateDirection: String, Sendable, Hashable, CaseIterable {
    /// Clients of the old version write, servers of the new version read.
    case clientToServer
    /// Servers of the new version write, clients of the old version read; REST answers and pushes go this way too.
    case serverToClient
}

extension GateDirection {
    var opposite: GateDirection { self == .clientToServer ? .serverToClient : .clientToServer }
}

/// A peer of the old version that meets one of the new version.
package enum GatePeer: String, Sendable, Hashable, CaseIterable {
    case client, server
}

/// The directions of one kind of message.
package enum MessageTravel: String, Sendable, Hashable, CaseIterable {
    case clientToServer
    case serverToClient
    /// Sent in both directions, or stored and read again by another version: the worse direction counts.
    case both

    package var directions: [GateDirection] {
        switch self {
        case .clientToServer: [.clientToServer]
        case .serverToClient: [.serverToClient]
        case .both: [.clientToServer, .serverToClient]
        }
    }
}
