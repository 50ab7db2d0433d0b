import JSON

/// One difference between two versions, as it matters to one direction.
public struct GateFinding: Sendable, Equatable {
    /// The id of the rule, such as `enum-value-added`.
    public let rule: String
    /// How much it weighs in this direction.
    public let severity: GateSeverity
    /// The way the messages travel that it speaks of; nil when it concerns no message, such as a policy.
    public let direction: GateDirection?
    /// The messages it reaches, sorted.
    public let messages: [String]
    /// Where it stands in the old version; nil when nothing of it was there.
    public let old: GatePlace?
    /// Where it stands in the new version; nil when nothing of it is there any more.
    public let new: GatePlace?
    /// What stood in the old version.
    public let oldValue: JSONValue?
    /// What stands in the new version.
    public let newValue: JSONValue?
    /// Who breaks and how, or why nobody does.
    public let why: String
    /// A message that shows the break, confirmed by the validator on both sides.
    public let witness: GateWitness?
    /// A hash of the rule, the direction, the pointers and the values, without line numbers: what a waiver names.
    public let fingerprint: String

    /// Makes a finding; its fingerprint follows from the rest.
    public init(
        rule: String, severity: GateSeverity, direction: GateDirection?, messages: [String] = [],
        old: GatePlace? = nil, new: GatePlace? = nil, oldValue: JSONValue? = nil, newValue: JSONValue? = nil,
        why: String, witness: GateWitness? = nil
    ) {
        self.rule = rule
        self.severity = severity
        self.direction = direction
        self.messages = messages.sorted()
        self.old = old
        self.new = new
        self.oldValue = oldValue
        self.newValue = newValue
        self.why = why
        self.witness = witness
        fingerprint = GateFingerprint.of([
            rule, direction?.rawValue ?? "", old?.pointerText ?? "", new?.pointerText ?? "",
            oldValue?.text(sortedKeys: true) ?? "", newValue?.text(sortedKeys: true) ?? "",
        ])
    }
}

/// A place in a file of one version.
public struct GatePlace: Sendable, Hashable {
    /// The file, as the version names it: `schemas/messages/chat.json`.
    public let file: String
    /// The place inside it.
    public let pointer: JSONPointer
    /// The line it starts at, from 1; nil when it cannot be told.
    public let line: Int?

    /// Names a place.
    public init(file: String, pointer: JSONPointer = JSONPointer(), line: Int? = nil) {
        self.file = file
        self.pointer = pointer
        self.line = line
    }

    /// File and pointer, without the line: `schemas/messages/chat.json#/required`.
    public var pointerText: String { "\(file)#\(pointer)" }
}

/// A message that one version accepts and the other refuses.
public struct GateWitness: Sendable, Equatable {
    /// One of the two versions.
    public enum Version: String, Sendable, Hashable {
        case old, new
    }

    /// The kind of message it is.
    public let message: String
    /// The message as JSON text.
    public let json: String
    /// The version by which it is valid: the writer's.
    public let validBy: Version
    /// The version by which it is invalid: the reader's.
    public let invalidBy: Version
    /// What the reader's validator says about it.
    public let complaint: String

    /// Holds a confirmed message.
    public init(message: String, json: String, validBy: Version, invalidBy: Version, complaint: String) {
        self.message = message
        self.json = json
        self.validBy = validBy
        self.invalidBy = invalidBy
        self.complaint = complaint
    }
}
