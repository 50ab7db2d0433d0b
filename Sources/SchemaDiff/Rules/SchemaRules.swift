/// All rules about schemas, as data.
extension GateRule {
    /// The rules, in the order in which they are explained.
    static let schemaRules: [GateRule] = [
        GateRule(
            id: "message-added", title: "a message of a new kind",
            whyToServer: "Old clients never send it.",
            whyToClient: "Old clients do not know it.",
            toServer: .always(.information), toClient: .always(.error), mirror: .rule("message-removed")),
        GateRule(
            id: "message-removed", title: "a message is gone",
            whyToServer: "Old clients send it still.",
            whyToClient: "Old clients wait for it in vain.",
            toServer: .always(.error), toClient: .always(.warning), mirror: .rule("message-added")),
        GateRule(
            id: "message-direction-changed", title: "a message travels another way",
            whyToServer: "Servers get it from peers that never sent it, or no more.",
            whyToClient: "Clients get it from peers that never sent it, or no more.",
            toServer: .always(.error), toClient: .always(.error), mirror: .itself),
        GateRule(
            id: "discriminator-property-changed", title: "another member names the kind",
            whyToServer: "Servers look for the kind where old clients do not write it.",
            whyToClient: "Old clients look for the kind where new servers do not write it.",
            toServer: .always(.error), toClient: .always(.error), mirror: .itself),
        GateRule(
            id: "discriminator-value-changed", title: "a kind of message has another name",
            whyToServer: "Old clients send the old name.",
            whyToClient: "Old clients do not know the new name.",
            toServer: .always(.error), toClient: .always(.error), mirror: .itself),
        GateRule(
            id: "message-stability-lowered", title: "a promise of stability is taken back",
            whyToServer: "Clients were built on the promise.",
            whyToClient: "Clients were built on the promise.",
            toServer: .always(.error), toClient: .always(.error),
            mirror: .absent("raising a promise takes nothing from anybody")),
        GateRule(
            id: "payload-union-overlap", title: "one value is valid as two alternatives of which exactly one may hold",
            whyToServer: "A value that was one thing is now two, and is refused.",
            whyToClient: "A value that is two things cannot be told apart.",
            toServer: .always(.error), toClient: .always(.error),
            mirror: .absent("alternatives that no longer overlap show as the edit that parted them")),
        GateRule(
            id: "property-added-required", title: "a member is new and must be there",
            whyToServer: "Old clients do not send it.",
            whyToClient: "Old clients refuse members that they do not know.",
            toServer: Weight(.error), toClient: Weight(.error), mirror: .rule("property-removed-required")),
        GateRule(
            id: "property-added-optional", title: "a member is new and may be there",
            whyToServer: "The name may be in use already: the old schema let clients send anything under it.",
            whyToClient: "Old clients refuse members that they do not know.",
            toServer: Weight(.warning), toClient: Weight(.error), mirror: .rule("property-removed-optional")),
        GateRule(
            id: "property-removed-required", title: "a member that had to be there is gone",
            whyToServer: "Old clients send it, and new servers refuse or overlook it.",
            whyToClient: "Old clients need it.",
            toServer: Weight(.error, otherwise: .warning), toClient: .always(.error),
            mirror: .rule("property-added-required")),
        GateRule(
            id: "property-removed-optional", title: "a member that could be there is gone",
            whyToServer: "Old clients may send it, and new servers refuse it.",
            whyToClient: "Old clients that use it never see it again, or see something else under its name.",
            toServer: Weight(.error), toClient: .always(.warning), mirror: .rule("property-added-optional")),
        GateRule(
            id: "property-became-required", title: "a member must be there now",
            whyToServer: "Old clients may leave it out.",
            whyToClient: "It was allowed before.",
            toServer: Weight(.error), toClient: .always(.information), mirror: .rule("property-became-optional")),
        GateRule(
            id: "property-became-optional", title: "a member may be missing now",
            whyToServer: "Everything that old clients send is still accepted.",
            whyToClient: "Old clients need it.",
            toServer: .always(.information), toClient: Weight(.error), mirror: .rule("property-became-required")),
        GateRule(
            id: "property-renamed", title: "a member has another name",
            whyToServer: "Old clients send the old name.",
            whyToClient: "Old clients look for the old name.",
            toServer: .always(.error), toClient: .always(.error), mirror: .itself),
        GateRule(
            id: "property-type-reused", title: "a name that was taken out of use is back",
            whyToServer: "Old clients may mean the old thing by it.",
            whyToClient: "Old clients may take it for the old thing.",
            toServer: .always(.error), toClient: .always(.error),
            mirror: .absent(
                "taking a name out of use falls under property-removed-optional or property-removed-required")),
        GateRule(
            id: "reserved-name-released", title: "a name is no longer kept out of use",
            whyToServer: "Whoever uses it next may meet clients that mean the old thing.",
            whyToClient: "Whoever uses it next may meet clients that know the old thing.",
            toServer: .always(.error), toClient: .always(.error),
            mirror: .absent("reserving a name takes nothing from anybody")),
        GateRule(
            id: "dependent-required-added", title: "one member now asks for another",
            whyToServer: "Old clients may send one without the other.",
            whyToClient: "Both were allowed before.",
            toServer: Weight(.error), toClient: .always(.information), mirror: .rule("dependent-required-removed")),
        GateRule(
            id: "dependent-required-removed", title: "one member no longer asks for another",
            whyToServer: "Everything that old clients send is still accepted.",
            whyToClient: "Old clients expect both.",
            toServer: .always(.information), toClient: Weight(.error), mirror: .rule("dependent-required-added")),
        GateRule(
            id: "type-narrowed", title: "fewer types are allowed",
            whyToServer: "Old clients send what new servers refuse.",
            whyToClient: "Everything that new servers send was accepted before.",
            toServer: Weight(.error), toClient: .always(.information), mirror: .rule("type-widened")),
        GateRule(
            id: "type-widened", title: "more types are allowed",
            whyToServer: "Everything that old clients send is still accepted.",
            whyToClient: "New servers send what old clients refuse.",
            toServer: .always(.information), toClient: Weight(.error), mirror: .rule("type-narrowed")),
        GateRule(
            id: "type-changed", title: "other types are allowed",
            whyToServer: "Old clients send what new servers refuse.",
            whyToClient: "New servers send what old clients refuse.",
            toServer: Weight(.error), toClient: Weight(.error), mirror: .itself),
        GateRule(
            id: "became-nullable", title: "null is allowed now",
            whyToServer: "Everything that old clients send is still accepted.",
            whyToClient: "Old clients do not expect null.",
            toServer: .always(.information), toClient: Weight(.error), mirror: .rule("became-not-nullable")),
        GateRule(
            id: "became-not-nullable", title: "null is no longer allowed",
            whyToServer: "Old clients may send null.",
            whyToClient: "Clients took null and get none any more.",
            toServer: Weight(.error), toClient: .always(.information), mirror: .rule("became-nullable")),
        GateRule(
            id: "enum-value-removed", title: "a value is no longer allowed",
            whyToServer: "Old clients may send it.",
            whyToClient: "Old clients know every value that is left.",
            toServer: Weight(.error), toClient: .always(.information), mirror: .rule("enum-value-added")),
        GateRule(
            id: "enum-value-added", title: "a value is new",
            whyToServer: "Old clients never send it.",
            whyToClient: "Old clients do not know it.",
            toServer: .always(.information), toClient: Weight(.error), mirror: .rule("enum-value-removed")),
        GateRule(
            id: "enum-introduced", title: "values are counted now",
            whyToServer: "Old clients send what new servers refuse.",
            whyToClient: "Everything that new servers send was accepted before.",
            toServer: Weight(.error), toClient: .always(.information), mirror: .rule("enum-dropped")),
        GateRule(
            id: "enum-dropped", title: "values are no longer counted",
            whyToServer: "Everything that old clients send is still accepted.",
            whyToClient: "New servers send what old clients refuse.",
            toServer: .always(.information), toClient: Weight(.error), mirror: .rule("enum-introduced")),
        GateRule(
            id: "const-introduced", title: "one value is fixed now",
            whyToServer: "Old clients send what new servers refuse.",
            whyToClient: "Everything that new servers send was accepted before.",
            toServer: Weight(.error), toClient: .always(.information), mirror: .rule("const-dropped")),
        GateRule(
            id: "const-dropped", title: "a value is no longer fixed",
            whyToServer: "Everything that old clients send is still accepted.",
            whyToClient: "New servers send what old clients refuse.",
            toServer: .always(.information), toClient: Weight(.error), mirror: .rule("const-introduced")),
        GateRule(
            id: "const-changed", title: "another value is fixed",
            whyToServer: "Old clients send what new servers refuse.",
            whyToClient: "New servers send what old clients refuse.",
            toServer: Weight(.error), toClient: Weight(.error), mirror: .itself),
        GateRule(
            id: "format-introduced", title: "a format is demanded now",
            whyToServer: "Old clients send what new servers refuse.",
            whyToClient: "Everything that new servers send was accepted before.",
            toServer: Weight(.error), toClient: .always(.information), mirror: .rule("format-dropped")),
        GateRule(
            id: "format-dropped", title: "a format is no longer demanded",
            whyToServer: "Everything that old clients send is still accepted.",
            whyToClient: "New servers send what old clients refuse.",
            toServer: .always(.information), toClient: Weight(.error), mirror: .rule("format-introduced")),
        GateRule(
            id: "format-changed", title: "another format is demanded",
            whyToServer: "Old clients send what new servers refuse.",
            whyToClient: "New servers send what old clients refuse.",
            toServer: Weight(.error), toClient: Weight(.error), mirror: .itself),
        GateRule(
            id: "content-changed", title: "the encoding or type of a text's content is another",
            whyToServer: "New servers read the text in another way than old clients write it.",
            whyToClient: "Old clients read the text in another way than new servers write it.",
            toServer: .always(.error), toClient: .always(.error), mirror: .itself),
        GateRule(
            id: "default-changed", title: "what a missing member stands for is another",
            whyToServer: "A missing member means something else to new servers.",
            whyToClient: "A missing member means something else to new servers than to old clients.",
            toServer: .always(.warning), toClient: .always(.warning), mirror: .itself),
        GateRule(
            id: "limit-tightened", title: "a limit is tighter",
            whyToServer: "Old clients may be beyond it.",
            whyToClient: "Everything within it was allowed before.",
            toServer: Weight(.error), toClient: .always(.information), mirror: .rule("limit-loosened")),
        GateRule(
            id: "limit-loosened", title: "a limit is looser",
            whyToServer: "Everything that old clients send is still accepted.",
            whyToClient: "New servers may go beyond what old clients take.",
            toServer: .always(.information), toClient: Weight(.error), mirror: .rule("limit-tightened")),
        GateRule(
            id: "multiple-of-tightened", title: "numbers must be multiples of more",
            whyToServer: "Old clients send what new servers refuse.",
            whyToClient: "Everything that new servers send was accepted before.",
            toServer: Weight(.error), toClient: .always(.information), mirror: .rule("multiple-of-loosened")),
        GateRule(
            id: "multiple-of-loosened", title: "numbers must be multiples of less",
            whyToServer: "Everything that old clients send is still accepted.",
            whyToClient: "New servers send what old clients refuse.",
            toServer: .always(.information), toClient: Weight(.error), mirror: .rule("multiple-of-tightened")),
        GateRule(
            id: "multiple-of-changed", title: "numbers must be multiples of something else",
            whyToServer: "Old clients send what new servers refuse.",
            whyToClient: "New servers send what old clients refuse.",
            toServer: Weight(.error), toClient: Weight(.error), mirror: .itself),
        GateRule(
            id: "unique-items-on", title: "elements must differ now",
            whyToServer: "Old clients may send equal ones.",
            whyToClient: "Different ones were allowed before.",
            toServer: Weight(.error), toClient: .always(.information), mirror: .rule("unique-items-off")),
        GateRule(
            id: "unique-items-off", title: "elements may be equal now",
            whyToServer: "Everything that old clients send is still accepted.",
            whyToClient: "New servers send what old clients refuse.",
            toServer: .always(.information), toClient: Weight(.error), mirror: .rule("unique-items-on")),
        GateRule(
            id: "pattern-introduced", title: "a pattern is demanded now",
            whyToServer: "Old clients send what new servers refuse.",
            whyToClient: "Everything that new servers send was accepted before.",
            toServer: Weight(.error), toClient: .always(.information), mirror: .rule("pattern-dropped")),
        GateRule(
            id: "pattern-dropped", title: "a pattern is no longer demanded",
            whyToServer: "Everything that old clients send is still accepted.",
            whyToClient: "New servers send what old clients refuse.",
            toServer: .always(.information), toClient: Weight(.error), mirror: .rule("pattern-introduced")),
        GateRule(
            id: "pattern-changed", title: "another pattern is demanded",
            whyToServer: "Old clients send what new servers refuse.",
            whyToClient: "New servers send what old clients refuse.",
            toServer: Weight(.error), toClient: Weight(.error), mirror: .itself),
        GateRule(
            id: "additional-properties-closed", title: "other members are no longer allowed",
            whyToServer: "Old clients may send them.",
            whyToClient: "They were allowed before, and come no more.",
            toServer: Weight(.error), toClient: .always(.information), mirror: .rule("additional-properties-opened")),
        GateRule(
            id: "additional-properties-opened", title: "other members are allowed now",
            whyToServer: "Everything that old clients send is still accepted.",
            whyToClient: "New servers send what old clients refuse.",
            toServer: .always(.information), toClient: Weight(.error), mirror: .rule("additional-properties-closed")),
        GateRule(
            id: "additional-properties-narrowed", title: "other members must be more",
            whyToServer: "Old clients send what new servers refuse.",
            whyToClient: "Everything that new servers send was accepted before.",
            toServer: Weight(.error), toClient: .always(.information), mirror: .rule("additional-properties-widened")),
        GateRule(
            id: "additional-properties-widened", title: "other members may be less",
            whyToServer: "Everything that old clients send is still accepted.",
            whyToClient: "New servers send what old clients refuse.",
            toServer: .always(.information), toClient: Weight(.error), mirror: .rule("additional-properties-narrowed")),
        GateRule(
            id: "unevaluated-properties-closed", title: "members nobody speaks of are no longer allowed",
            whyToServer: "Old clients may send them.",
            whyToClient: "They were allowed before, and come no more.",
            toServer: Weight(.error), toClient: .always(.information), mirror: .rule("unevaluated-properties-opened")),
        GateRule(
            id: "unevaluated-properties-opened", title: "members nobody speaks of are allowed now",
            whyToServer: "Everything that old clients send is still accepted.",
            whyToClient: "New servers send what old clients refuse.",
            toServer: .always(.information), toClient: Weight(.error), mirror: .rule("unevaluated-properties-closed")),
        GateRule(
            id: "unevaluated-properties-narrowed", title: "members nobody speaks of must be more",
            whyToServer: "Old clients send what new servers refuse.",
            whyToClient: "Everything that new servers send was accepted before.",
            toServer: Weight(.error), toClient: .always(.information), mirror: .rule("unevaluated-properties-widened")),
        GateRule(
            id: "unevaluated-properties-widened", title: "members nobody speaks of may be less",
            whyToServer: "Everything that old clients send is still accepted.",
            whyToClient: "New servers send what old clients refuse.",
            toServer: .always(.information), toClient: Weight(.error), mirror: .rule("unevaluated-properties-narrowed")),
        GateRule(
            id: "items-closed", title: "elements are no longer allowed",
            whyToServer: "Old clients may send them.",
            whyToClient: "They were allowed before, and come no more.",
            toServer: Weight(.error), toClient: .always(.information), mirror: .rule("items-opened")),
        GateRule(
            id: "items-opened", title: "elements are allowed now",
            whyToServer: "Everything that old clients send is still accepted.",
            whyToClient: "New servers send what old clients refuse.",
            toServer: .always(.information), toClient: Weight(.error), mirror: .rule("items-closed")),
        GateRule(
            id: "items-narrowed", title: "elements must be more",
            whyToServer: "Old clients send what new servers refuse.",
            whyToClient: "Everything that new servers send was accepted before.",
            toServer: Weight(.error), toClient: .always(.information), mirror: .rule("items-widened")),
        GateRule(
            id: "items-widened", title: "elements may be less",
            whyToServer: "Everything that old clients send is still accepted.",
            whyToClient: "New servers send what old clients refuse.",
            toServer: .always(.information), toClient: Weight(.error), mirror: .rule("items-narrowed")),
        GateRule(
            id: "unevaluated-items-closed", title: "elements nobody speaks of are no longer allowed",
            whyToServer: "Old clients may send them.",
            whyToClient: "They were allowed before, and come no more.",
            toServer: Weight(.error), toClient: .always(.information), mirror: .rule("unevaluated-items-opened")),
        GateRule(
            id: "unevaluated-items-opened", title: "elements nobody speaks of are allowed now",
            whyToServer: "Everything that old clients send is still accepted.",
            whyToClient: "New servers send what old clients refuse.",
            toServer: .always(.information), toClient: Weight(.error), mirror: .rule("unevaluated-items-closed")),
        GateRule(
            id: "unevaluated-items-narrowed", title: "elements nobody speaks of must be more",
            whyToServer: "Old clients send what new servers refuse.",
            whyToClient: "Everything that new servers send was accepted before.",
            toServer: Weight(.error), toClient: .always(.information), mirror: .rule("unevaluated-items-widened")),
        GateRule(
            id: "unevaluated-items-widened", title: "elements nobody speaks of may be less",
            whyToServer: "Everything that old clients send is still accepted.",
            whyToClient: "New servers send what old clients refuse.",
            toServer: .always(.information), toClient: Weight(.error), mirror: .rule("unevaluated-items-narrowed")),
        GateRule(
            id: "prefix-items-changed", title: "another number of elements has a schema of its own",
            whyToServer: "Old clients send what new servers refuse.",
            whyToClient: "New servers send what old clients refuse.",
            toServer: Weight(.error), toClient: Weight(.error), mirror: .itself),
        GateRule(
            id: "pattern-properties-added", title: "members whose names match a pattern have a schema now",
            whyToServer: "Old clients send what new servers refuse.",
            whyToClient: "Everything that new servers send was accepted before.",
            toServer: Weight(.error), toClient: .always(.information), mirror: .rule("pattern-properties-removed")),
        GateRule(
            id: "pattern-properties-removed", title: "members whose names match a pattern have no schema any more",
            whyToServer: "Everything that old clients send is still accepted.",
            whyToClient: "New servers send what old clients refuse.",
            toServer: .always(.information), toClient: Weight(.error), mirror: .rule("pattern-properties-added")),
        GateRule(
            id: "property-names-added", title: "names of members are restricted now",
            whyToServer: "Old clients send what new servers refuse.",
            whyToClient: "Everything that new servers send was accepted before.",
            toServer: Weight(.error), toClient: .always(.information), mirror: .rule("property-names-removed")),
        GateRule(
            id: "property-names-removed", title: "names of members are no longer restricted",
            whyToServer: "Everything that old clients send is still accepted.",
            whyToClient: "New servers send what old clients refuse.",
            toServer: .always(.information), toClient: Weight(.error), mirror: .rule("property-names-added")),
        GateRule(
            id: "contains-added", title: "an element of a kind must be among the others now",
            whyToServer: "Old clients send what new servers refuse.",
            whyToClient: "Everything that new servers send was accepted before.",
            toServer: Weight(.error), toClient: .always(.information), mirror: .rule("contains-removed")),
        GateRule(
            id: "contains-removed", title: "an element of a kind need not be among the others any more",
            whyToServer: "Everything that old clients send is still accepted.",
            whyToClient: "New servers send what old clients refuse.",
            toServer: .always(.information), toClient: Weight(.error), mirror: .rule("contains-added")),
        GateRule(
            id: "contains-changed", title: "an element of another kind must be among the others",
            whyToServer: "Old clients send what new servers refuse.",
            whyToClient: "New servers send what old clients refuse.",
            toServer: Weight(.error), toClient: Weight(.error), mirror: .itself),
        GateRule(
            id: "branch-removed", title: "an alternative is gone",
            whyToServer: "Old clients may use it.",
            whyToClient: "Old clients know every alternative that is left.",
            toServer: Weight(.error), toClient: .always(.information), mirror: .rule("branch-added")),
        GateRule(
            id: "branch-added", title: "an alternative is new",
            whyToServer: "Old clients never use it.",
            whyToClient: "Old clients do not know it.",
            toServer: .always(.information), toClient: Weight(.error), mirror: .rule("branch-removed")),
        GateRule(
            id: "alternatives-introduced", title: "a choice of alternatives is demanded now",
            whyToServer: "Old clients send what new servers refuse.",
            whyToClient: "Everything that new servers send was accepted before.",
            toServer: Weight(.error), toClient: .always(.information), mirror: .rule("alternatives-dropped")),
        GateRule(
            id: "alternatives-dropped", title: "a choice of alternatives is no longer demanded",
            whyToServer: "Everything that old clients send is still accepted.",
            whyToClient: "New servers send what old clients refuse.",
            toServer: .always(.information), toClient: Weight(.error), mirror: .rule("alternatives-introduced")),
        GateRule(
            id: "all-of-member-added", title: "a further schema must hold",
            whyToServer: "Old clients send what new servers refuse.",
            whyToClient: "Everything that new servers send was accepted before.",
            toServer: Weight(.error), toClient: .always(.information), mirror: .rule("all-of-member-removed")),
        GateRule(
            id: "all-of-member-removed", title: "a further schema need not hold any more",
            whyToServer: "Everything that old clients send is still accepted.",
            whyToClient: "New servers send what old clients refuse.",
            toServer: .always(.information), toClient: Weight(.error), mirror: .rule("all-of-member-added")),
        GateRule(
            id: "condition-changed", title: "if, then or else say something else",
            whyToServer: "Old clients send what new servers refuse.",
            whyToClient: "New servers send what old clients refuse.",
            toServer: Weight(.error), toClient: Weight(.error), mirror: .itself),
        GateRule(
            id: "not-changed", title: "what is excluded is another",
            whyToServer: "Old clients send what new servers refuse.",
            whyToClient: "New servers send what old clients refuse.",
            toServer: Weight(.error), toClient: Weight(.error), mirror: .itself),
        GateRule(
            id: "dependent-schemas-changed", title: "what a member asks of the others is another",
            whyToServer: "Old clients send what new servers refuse.",
            whyToClient: "New servers send what old clients refuse.",
            toServer: Weight(.error), toClient: Weight(.error), mirror: .itself),
        GateRule(
            id: "schema-changed", title: "the schema accepts other values",
            whyToServer: "Old clients send what new servers refuse.",
            whyToClient: "New servers send what old clients refuse.",
            toServer: Weight(.error), toClient: Weight(.error), mirror: .itself),
        GateRule(
            id: "reference-changed", title: "a dynamic reference leads elsewhere",
            whyToServer: "Old clients send what new servers refuse.",
            whyToClient: "New servers send what old clients refuse.",
            toServer: Weight(.error), toClient: Weight(.error), mirror: .itself),
        GateRule(
            id: "dialect-changed", title: "the schema is written in another dialect",
            whyToServer: "The same words may mean something else.",
            whyToClient: "The same words may mean something else.",
            toServer: .always(.error), toClient: .always(.error), mirror: .itself),
        GateRule(
            id: "schema-id-changed", title: "the schema has another id",
            whyToServer: "References from outside lead nowhere.",
            whyToClient: "References from outside lead nowhere.",
            toServer: .always(.warning), toClient: .always(.warning), mirror: .itself),
        GateRule(
            id: "unknown-keyword", title: "a keyword that no dialect knows",
            whyToServer: "Most likely a typing error: nothing is checked.",
            whyToClient: "Most likely a typing error: nothing is checked.",
            toServer: .always(.error), toClient: .always(.error),
            mirror: .absent("a misspelt keyword that goes away shows as the edit that mended it")),
        GateRule(
            id: "annotation-changed", title: "words for people",
            whyToServer: "No message is accepted or refused for it.",
            whyToClient: "No message is accepted or refused for it.",
            toServer: .always(.information), toClient: .always(.information), mirror: .itself),
        GateRule(
            id: "deprecation-withdrawn", title: "something is no longer deprecated",
            whyToServer: "Who moved away need not have.",
            whyToClient: "Who moved away need not have.",
            toServer: .always(.warning), toClient: .always(.warning),
            mirror: .absent("deprecating takes nothing yet: it is an annotation-changed")),
        GateRule(
            id: "not-proven", title: "neither proved nor refuted",
            whyToServer: "Whether new servers accept all that old clients send is not known.",
            whyToClient: "Whether old clients accept all that new servers send is not known.",
            toServer: .always(.error), toClient: .always(.error), mirror: .absent("it speaks of what is not known")),
    ]

    /// The rule with an id.
    static func schemaRule(_ id: String) -> GateRule? { byID[id] }

    private static let byID = Dictionary(schemaRules.map { ($0.id, $0) }, uniquingKeysWith: { first, _ in first })
}
