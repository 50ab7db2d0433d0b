extension GateRule {
    package static let schemaRules: [GateRule] =
        messageRules + memberRules + valueRules + elementRules + alternativeRules + textRules

    static func schemaRule(_ id: String) -> GateRule? { byID[id] }

    private static let byID = Dictionary(schemaRules.map { ($0.id, $0) }, uniquingKeysWith: { first, _ in first })

    private static let refusedByServers = "Old clients may send messages that new servers reject."
    private static let refusedByClients = "New servers may send messages that old clients reject."
    private static let acceptedByServers = "New servers still accept everything that old clients send."
    private static let acceptedByClients = "Old clients accept everything that new servers send."

    /// An edit after which servers take less than old clients send, and the same edit backwards, after which they send more
    /// than old clients take.
    private static func pair(
        _ narrow: String, _ narrowTitle: String, _ widen: String, _ widenTitle: String,
        narrowToServer: String = refusedByServers, narrowToClient: String = acceptedByClients,
        widenToServer: String = acceptedByServers, widenToClient: String = refusedByClients
    ) -> [GateRule] {
        [
            GateRule(
                id: narrow, title: narrowTitle, whyToServer: narrowToServer, whyToClient: narrowToClient,
                toServer: .broken(.error), toClient: .always(.information), mirror: .rule(widen)),
            GateRule(
                id: widen, title: widenTitle, whyToServer: widenToServer, whyToClient: widenToClient,
                toServer: .always(.information), toClient: .broken(.error), mirror: .rule(narrow)),
        ]
    }

    /// What may become of the schema of everything that has none of its own.
    private static func rest(_ id: String, of things: String) -> [GateRule] {
        pair(
            "\(id)-closed", "\(things) are no longer allowed", "\(id)-opened", "\(things) are allowed now",
            narrowToServer: "Old clients may send them.",
            narrowToClient: "They were allowed before and are no longer sent.")
            + pair(
                "\(id)-narrowed", "\(things) have a narrower schema", "\(id)-widened", "\(things) have a wider schema")
    }

    /// An edit that weighs the same in both directions.
    private static func both(
        _ id: String, _ title: String, _ weight: Weight = .broken(.error), toServer: String = refusedByServers,
        toClient: String = refusedByClients, mirror: Mirror = .itself, breaks: GateRule.Breaks = .clients
    ) -> [GateRule] {
        [
            GateRule(
                id: id, title: title, whyToServer: toServer, whyToClient: toClient, toServer: weight, toClient: weight,
                mirror: mirror, breaks: breaks)
        ]
    }

    /// An edit that weighs the same in both directions, for the same reason.
    private static func always(
        _ id: String, _ title: String, _ severity: GateSeverity = .error, why: String, mirror: Mirror = .itself
    ) -> [GateRule] {
        both(id, title, .always(severity), toServer: why, toClient: why, mirror: mirror)
    }

    private static let messageRules: [GateRule] =
        [
            GateRule(
                id: "message-added", title: "a message is new", whyToServer: "Old clients never send it.",
                whyToClient: "Old clients do not know it.", toServer: .always(.information), toClient: .always(.error),
                mirror: .rule("message-removed")),
            GateRule(
                id: "message-removed", title: "a message is gone", whyToServer: "Old clients still send it.",
                whyToClient: "Old clients may wait for it.", toServer: .always(.error), toClient: .always(.warning),
                mirror: .rule("message-added")),
        ]
        + both(
            "message-direction-changed", "a message travels another way", .always(.error),
            toServer: "Servers receive it from peers that never sent it, or no longer do.",
            toClient: "Clients receive it from peers that never sent it, or no longer do.", breaks: .everybody)
        + both(
            "discriminator-property-changed", "another member names the type of message", .always(.error),
            toServer: "New servers look for the type where old clients do not write it.",
            toClient: "Old clients look for the type where new servers do not write it.")
        + both(
            "discriminator-value-changed", "a message has another name", .always(.error),
            toServer: "Old clients send the old name.", toClient: "Old clients do not know the new name.")
        + always(
            "message-renamed", "a schema has another file", .information,
            why: "Nothing that travels names the file.")
        + always(
            "message-stability-lowered", "a stability promise is taken back",
            why: "Clients were built on the promise.",
            mirror: .absent("raising a promise takes nothing from anybody"))

    private static let memberRules: [GateRule] =
        [
            GateRule(
                id: "property-added-required", title: "a required member is new",
                whyToServer: "Old clients do not send it.",
                whyToClient: "Old clients reject members they do not know.", toServer: .broken(.error),
                toClient: .broken(.error), mirror: .rule("property-removed-required")),
            GateRule(
                id: "property-added-optional", title: "an optional member is new",
                whyToServer: "Old clients may already use the name: the old schema allowed anything under it.",
                whyToClient: "Old clients reject members they do not know.", toServer: .broken(.warning),
                toClient: .broken(.error), mirror: .rule("property-removed-optional")),
            GateRule(
                id: "property-removed-required", title: "a required member is gone",
                whyToServer: "Old clients send it, and new servers reject or ignore it.",
                whyToClient: "Old clients need it.", toServer: .broken(.error, otherwise: .warning),
                toClient: .always(.error), mirror: .rule("property-added-required")),
            GateRule(
                id: "property-removed-optional", title: "an optional member is gone",
                whyToServer: "Old clients may send it, and new servers reject it.",
                whyToClient: "Old clients that use it no longer get it.",
                toServer: .broken(.error), toClient: .always(.warning), mirror: .rule("property-added-optional")),
        ]
        + both(
            "property-added-default", "an optional member with a default is new", .always(.error),
            toServer: "Old clients never send it, and new servers assume its default of them.",
            toClient: "Old servers never send it, and new clients assume its default of them.",
            mirror: .absent("what goes falls under property-removed-optional"), breaks: .senders)
        + pair(
            "property-became-required", "a member is required now", "property-became-optional",
            "a member is optional now", narrowToServer: "Old clients may leave it out.",
            narrowToClient: "It was allowed before.", widenToClient: "Old clients need it.")
        + both(
            "property-renamed", "a member has another name", .always(.error),
            toServer: "Old clients send the old name.", toClient: "Old clients look for the old name.")
        + both(
            "property-type-reused", "a reserved name is used again", .always(.error),
            toServer: "Old clients may still use it in its old meaning.",
            toClient: "Old clients may read it in its old meaning.",
            mirror: .absent(
                "taking a name out of use falls under property-removed-optional or property-removed-required"))
        + both(
            "reserved-name-released", "a name is no longer reserved", .always(.error),
            toServer: "A later use may meet clients that send its old meaning.",
            toClient: "A later use may meet clients that read its old meaning.",
            mirror: .absent("reserving a name takes nothing from anybody"))
        + pair(
            "dependent-required-added", "one member now requires another", "dependent-required-removed",
            "one member no longer requires another",
            narrowToServer: "Old clients may send one without the other.",
            narrowToClient: "Both were allowed before.", widenToClient: "Old clients expect both.")
        + both("dependent-schemas-changed", "what a member requires of the others changed")
        + pair(
            "pattern-properties-added", "members that match a pattern have a schema now",
            "pattern-properties-removed", "members that match a pattern no longer have a schema")
        + pair(
            "property-names-added", "names of members are restricted now", "property-names-removed",
            "names of members are no longer restricted")
        + rest("additional-properties", of: "other members")
        + rest("unevaluated-properties", of: "unevaluated members")

    private static let valueRules =
        pair("type-narrowed", "fewer types are allowed", "type-widened", "more types are allowed")
        + both("type-changed", "other types are allowed")
        + pair(
            "became-not-nullable", "null is no longer allowed", "became-nullable", "null is allowed now",
            narrowToServer: "Old clients may send null.",
            narrowToClient: "Clients accepted null and no longer get it.",
            widenToClient: "Old clients do not expect null."
        )
        + pair(
            "enum-value-removed", "a value is no longer allowed", "enum-value-added", "a value is new",
            narrowToServer: "Old clients may send it.", narrowToClient: "Old clients know every remaining value.",
            widenToServer: "Old clients never send it.", widenToClient: "Old clients do not know it.")
        + pair(
            "enum-introduced", "only listed values are allowed now", "enum-dropped",
            "values beyond the list are allowed now")
        + pair(
            "const-introduced", "only one value is allowed now", "const-dropped", "more than one value is allowed now")
        + both("const-changed", "another fixed value")
        + pair("format-introduced", "a format is required now", "format-dropped", "a format is no longer required")
        + both("format-changed", "another format is required")
        + pair(
            "pattern-introduced", "a pattern is required now", "pattern-dropped", "a pattern is no longer required")
        + both("pattern-changed", "another pattern is required")
        + both(
            "content-changed", "the encoding or type of a text changed", .always(.error),
            toServer: "New servers read the text differently from how old clients write it.",
            toClient: "Old clients read the text differently from how new servers write it.")
        + both(
            "default-changed", "the default of a missing member changed", .always(.error),
            toServer: "A missing member means something else to new peers than to old ones.",
            toClient: "A missing member means something else to new peers than to old ones.", breaks: .everybody)
        + pair(
            "limit-tightened", "a limit is tighter", "limit-loosened", "a limit is looser",
            narrowToServer: "Old clients may go beyond it.", narrowToClient: "Everything within it was allowed before.",
            widenToClient: "New servers may go beyond what old clients accept.")
        + pair(
            "multiple-of-tightened", "numbers must be multiples of a larger step", "multiple-of-loosened",
            "numbers may be multiples of a smaller step")
        + both("multiple-of-changed", "numbers must be multiples of something else")

    private static let elementRules =
        pair(
            "unique-items-on", "elements must differ now", "unique-items-off", "elements may be equal now",
            narrowToServer: "Old clients may send equal ones.",
            narrowToClient: "Different ones were allowed before.")
        + rest("items", of: "elements") + rest("unevaluated-items", of: "unevaluated elements")
        + both("prefix-items-changed", "another number of elements has its own schema")
        + pair(
            "contains-added", "one element must match a schema now", "contains-removed",
            "no element has to match a schema now")
        + both("contains-changed", "one element must match another schema")

    private static let alternativeRules =
        both(
            "payload-union-overlap", "a value matches two alternatives of a oneOf",
            .always(.error), toServer: "A value that matched one alternative matches two now and is rejected.",
            toClient: "A reader cannot tell which alternative a value means.",
            mirror: .absent("alternatives that no longer overlap show as the edit that parted them"))
        + pair(
            "branch-removed", "an alternative is gone", "branch-added", "an alternative is new",
            narrowToServer: "Old clients may use it.",
            narrowToClient: "Old clients know every remaining alternative.",
            widenToServer: "Old clients never use it.", widenToClient: "Old clients do not know it.")
        + pair(
            "alternatives-introduced", "one of several alternatives must match now", "alternatives-dropped",
            "no alternative has to match now")
        + pair(
            "all-of-member-added", "a further schema must match", "all-of-member-removed",
            "a further schema no longer has to match")
        + both("condition-changed", "if, then or else changed")
        + both("not-changed", "what is excluded changed")
        + both("schema-changed", "the schema accepts other values")
        + both("reference-changed", "a dynamic reference points elsewhere")
        + both(
            "not-proven", "neither proved nor disproved", .always(.error),
            toServer: "Whether new servers accept all that old clients send is not known.",
            toClient: "Whether old clients accept all that new servers send is not known.",
            mirror: .absent("it speaks of what is not known"))

    private static let textRules =
        always(
            "dialect-changed", "the schema uses another dialect",
            why: "The same keywords may mean something else.")
        + always(
            "schema-id-changed", "the schema has another id", .warning, why: "References from other files break.")
        + always(
            "unknown-keyword", "an unknown keyword",
            why: "Probably a typo: nothing is checked.",
            mirror: .absent("a misspelt keyword that goes away shows as the edit that mended it"))
        + always(
            "annotation-changed", "documentation", .information,
            why: "It decides nothing about any message.")
        + always(
            "deprecation-withdrawn", "something is no longer deprecated", .warning,
            why: "Peers that moved away did not have to.",
            mirror: .absent("deprecating takes nothing yet: it is an annotation-changed"))
}
