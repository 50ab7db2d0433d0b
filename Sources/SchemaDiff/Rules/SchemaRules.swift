/// All rules about schemas, as data.
extension GateRule {
    /// The rules, by what they are about.
    package static let schemaRules: [GateRule] =
        messageRules + memberRules + valueRules + elementRules + alternativeRules + textRules

    static func schemaRule(_ id: String) -> GateRule? { byID[id] }

    private static let byID = Dictionary(schemaRules.map { ($0.id, $0) }, uniquingKeysWith: { first, _ in first })

    private static let refusedByServers = "Old clients send what new servers refuse."
    private static let refusedByClients = "New servers send what old clients refuse."
    private static let acceptedByServers = "Everything that old clients send is still accepted."
    private static let acceptedByClients = "Everything that new servers send was accepted before."

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
            narrowToServer: "Old clients may send them.", narrowToClient: "They were allowed before, and come no more.")
            + pair("\(id)-narrowed", "\(things) must be more", "\(id)-widened", "\(things) may be less")
    }

    /// An edit that weighs the same in both directions.
    private static func both(
        _ id: String, _ title: String, _ weight: Weight = .broken(.error), toServer: String = refusedByServers,
        toClient: String = refusedByClients, mirror: Mirror = .itself
    ) -> [GateRule] {
        [
            GateRule(
                id: id, title: title, whyToServer: toServer, whyToClient: toClient, toServer: weight, toClient: weight,
                mirror: mirror)
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
                id: "message-added", title: "a message of a new kind", whyToServer: "Old clients never send it.",
                whyToClient: "Old clients do not know it.", toServer: .always(.information), toClient: .always(.error),
                mirror: .rule("message-removed")),
            GateRule(
                id: "message-removed", title: "a message is gone", whyToServer: "Old clients send it still.",
                whyToClient: "Old clients wait for it in vain.", toServer: .always(.error), toClient: .always(.warning),
                mirror: .rule("message-added")),
        ]
        + both(
            "message-direction-changed", "a message travels another way", .always(.error),
            toServer: "Servers get it from peers that never sent it, or no more.",
            toClient: "Clients get it from peers that never sent it, or no more.")
        + both(
            "discriminator-property-changed", "another member names the kind", .always(.error),
            toServer: "Servers look for the kind where old clients do not write it.",
            toClient: "Old clients look for the kind where new servers do not write it.")
        + both(
            "discriminator-value-changed", "a kind of message has another name", .always(.error),
            toServer: "Old clients send the old name.", toClient: "Old clients do not know the new name.")
        + always(
            "message-stability-lowered", "a promise of stability is taken back",
            why: "Clients were built on the promise.",
            mirror: .absent("raising a promise takes nothing from anybody"))

    private static let memberRules: [GateRule] =
        [
            GateRule(
                id: "property-added-required", title: "a member is new and must be there",
                whyToServer: "Old clients do not send it.",
                whyToClient: "Old clients refuse members that they do not know.", toServer: .broken(.error),
                toClient: .broken(.error), mirror: .rule("property-removed-required")),
            GateRule(
                id: "property-added-optional", title: "a member is new and may be there",
                whyToServer: "The name may be in use already: the old schema let clients send anything under it.",
                whyToClient: "Old clients refuse members that they do not know.", toServer: .broken(.warning),
                toClient: .broken(.error), mirror: .rule("property-removed-optional")),
            GateRule(
                id: "property-removed-required", title: "a member that had to be there is gone",
                whyToServer: "Old clients send it, and new servers refuse or overlook it.",
                whyToClient: "Old clients need it.", toServer: .broken(.error, otherwise: .warning),
                toClient: .always(.error), mirror: .rule("property-added-required")),
            GateRule(
                id: "property-removed-optional", title: "a member that could be there is gone",
                whyToServer: "Old clients may send it, and new servers refuse it.",
                whyToClient: "Old clients that use it never see it again, or see something else under its name.",
                toServer: .broken(.error), toClient: .always(.warning), mirror: .rule("property-added-optional")),
        ]
        + pair(
            "property-became-required", "a member must be there now", "property-became-optional",
            "a member may be missing now", narrowToServer: "Old clients may leave it out.",
            narrowToClient: "It was allowed before.", widenToClient: "Old clients need it.")
        + both(
            "property-renamed", "a member has another name", .always(.error),
            toServer: "Old clients send the old name.", toClient: "Old clients look for the old name.")
        + both(
            "property-type-reused", "a name that was taken out of use is back", .always(.error),
            toServer: "Old clients may mean the old thing by it.",
            toClient: "Old clients may take it for the old thing.",
            mirror: .absent(
                "taking a name out of use falls under property-removed-optional or property-removed-required"))
        + both(
            "reserved-name-released", "a name is no longer kept out of use", .always(.error),
            toServer: "Whoever uses it next may meet clients that mean the old thing.",
            toClient: "Whoever uses it next may meet clients that know the old thing.",
            mirror: .absent("reserving a name takes nothing from anybody"))
        + pair(
            "dependent-required-added", "one member now asks for another", "dependent-required-removed",
            "one member no longer asks for another", narrowToServer: "Old clients may send one without the other.",
            narrowToClient: "Both were allowed before.", widenToClient: "Old clients expect both.")
        + both("dependent-schemas-changed", "what a member asks of the others is another")
        + pair(
            "pattern-properties-added", "members whose names match a pattern have a schema now",
            "pattern-properties-removed", "members whose names match a pattern have no schema any more")
        + pair(
            "property-names-added", "names of members are restricted now", "property-names-removed",
            "names of members are no longer restricted")
        + rest("additional-properties", of: "other members")
        + rest("unevaluated-properties", of: "members nobody speaks of")

    private static let valueRules =
        pair("type-narrowed", "fewer types are allowed", "type-widened", "more types are allowed")
        + both("type-changed", "other types are allowed")
        + pair(
            "became-not-nullable", "null is no longer allowed", "became-nullable", "null is allowed now",
            narrowToServer: "Old clients may send null.",
            narrowToClient: "Clients took null and get none any more.", widenToClient: "Old clients do not expect null."
        )
        + pair(
            "enum-value-removed", "a value is no longer allowed", "enum-value-added", "a value is new",
            narrowToServer: "Old clients may send it.", narrowToClient: "Old clients know every value that is left.",
            widenToServer: "Old clients never send it.", widenToClient: "Old clients do not know it.")
        + pair("enum-introduced", "values are counted now", "enum-dropped", "values are no longer counted")
        + pair("const-introduced", "one value is fixed now", "const-dropped", "a value is no longer fixed")
        + both("const-changed", "another value is fixed")
        + pair("format-introduced", "a format is demanded now", "format-dropped", "a format is no longer demanded")
        + both("format-changed", "another format is demanded")
        + pair("pattern-introduced", "a pattern is demanded now", "pattern-dropped", "a pattern is no longer demanded")
        + both("pattern-changed", "another pattern is demanded")
        + both(
            "content-changed", "the encoding or type of a text's content is another", .always(.error),
            toServer: "New servers read the text in another way than old clients write it.",
            toClient: "Old clients read the text in another way than new servers write it.")
        + both(
            "default-changed", "what a missing member stands for is another", .always(.warning),
            toServer: "A missing member means something else to new servers.",
            toClient: "A missing member means something else to new servers than to old clients.")
        + pair(
            "limit-tightened", "a limit is tighter", "limit-loosened", "a limit is looser",
            narrowToServer: "Old clients may be beyond it.", narrowToClient: "Everything within it was allowed before.",
            widenToClient: "New servers may go beyond what old clients take.")
        + pair(
            "multiple-of-tightened", "numbers must be multiples of more", "multiple-of-loosened",
            "numbers must be multiples of less")
        + both("multiple-of-changed", "numbers must be multiples of something else")

    private static let elementRules =
        pair(
            "unique-items-on", "elements must differ now", "unique-items-off", "elements may be equal now",
            narrowToServer: "Old clients may send equal ones.",
            narrowToClient: "Different ones were allowed before.")
        + rest("items", of: "elements") + rest("unevaluated-items", of: "elements nobody speaks of")
        + both("prefix-items-changed", "another number of elements has a schema of its own")
        + pair(
            "contains-added", "an element of a kind must be among the others now", "contains-removed",
            "an element of a kind need not be among the others any more")
        + both("contains-changed", "an element of another kind must be among the others")

    private static let alternativeRules =
        both(
            "payload-union-overlap", "one value is valid as two alternatives of which exactly one may hold",
            .always(.error), toServer: "A value that was one thing is now two, and is refused.",
            toClient: "A value that is two things cannot be told apart.",
            mirror: .absent("alternatives that no longer overlap show as the edit that parted them"))
        + pair(
            "branch-removed", "an alternative is gone", "branch-added", "an alternative is new",
            narrowToServer: "Old clients may use it.",
            narrowToClient: "Old clients know every alternative that is left.",
            widenToServer: "Old clients never use it.", widenToClient: "Old clients do not know it.")
        + pair(
            "alternatives-introduced", "a choice of alternatives is demanded now", "alternatives-dropped",
            "a choice of alternatives is no longer demanded")
        + pair(
            "all-of-member-added", "a further schema must hold", "all-of-member-removed",
            "a further schema need not hold any more")
        + both("condition-changed", "if, then or else say something else")
        + both("not-changed", "what is excluded is another")
        + both("schema-changed", "the schema accepts other values")
        + both("reference-changed", "a dynamic reference leads elsewhere")
        + both(
            "not-proven", "neither proved nor refuted", .always(.error),
            toServer: "Whether new servers accept all that old clients send is not known.",
            toClient: "Whether old clients accept all that new servers send is not known.",
            mirror: .absent("it speaks of what is not known"))

    private static let textRules =
        always(
            "dialect-changed", "the schema is written in another dialect",
            why: "The same words may mean something else.")
        + always(
            "schema-id-changed", "the schema has another id", .warning, why: "References from outside lead nowhere.")
        + always(
            "unknown-keyword", "a keyword that no dialect knows",
            why: "Most likely a typing error: nothing is checked.",
            mirror: .absent("a misspelt keyword that goes away shows as the edit that mended it"))
        + always(
            "annotation-changed", "words for people", .information,
            why: "No message is accepted or refused for it.")
        + always(
            "deprecation-withdrawn", "something is no longer deprecated", .warning,
            why: "Who moved away need not have.",
            mirror: .absent("deprecating takes nothing yet: it is an annotation-changed"))
}
