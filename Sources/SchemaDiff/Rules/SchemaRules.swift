extension GateRule {
    package static let schemaRules = table.split(separator: "\n").compactMap { rule(in: String($0)) }

    static func schemaRule(_ id: String) -> GateRule? { byID[id] }

    private static let byID = Dictionary(schemaRules.map { ($0.id, $0) }, uniquingKeysWith: { first, _ in first })

    private static func rule(in line: String) -> GateRule? {
        let cells = line.split(separator: " | ").map(String.init)
        guard cells.count == 9, let toServer = Weight(cells[2]), let toClient = Weight(cells[3]),
            let breaks = Breaks(rawValue: cells[7])
        else { return nil }
        func why(_ words: String, _ writer: String, _ reader: String) -> String {
            switch words {
            case "refused": "\(writer) may send messages that \(reader) reject."
            case "accepted":
                writer == "Old clients"
                    ? "New servers still accept everything that old clients send."
                    : "Old clients accept everything that new servers send."
            default: words
            }
        }
        return GateRule(
            id: cells[0], title: cells[1], whyToServer: why(cells[4], "Old clients", "new servers"),
            whyToClient: why(cells[5] == "=" ? cells[4] : cells[5], "New servers", "old clients"), toServer: toServer,
            toClient: toClient, mirror: cells[6] == "–" ? nil : cells[6], breaks: breaks, example: cells[8])
    }

    /// One rule per line: its id, the change, the severities for messages to servers and to clients (after `?`: if no
    /// message shows it), the reason for each, the rule for the reverse edit, the peers it breaks, and an example.
    private static let table = #"""
        message-added | a message is new | information | error | Old clients never send it. | Old clients do not know it. | message-removed | clients | no typing.json  →  typing.json
        message-removed | a message is gone | error | warning | Old clients still send it. | Old clients may wait for it. | message-added | clients | typing.json  →  no typing.json
        message-direction-changed | a message travels another way | error | error | Servers receive it from peers that never sent it, or no longer do. | Clients receive it from peers that never sent it, or no longer do. | message-direction-changed | everybody | "x-direction": "client"  →  "x-direction": "server"
        discriminator-property-changed | another member names the type of message | error | error | New servers look for the type where old clients do not write it. | Old clients look for the type where new servers do not write it. | discriminator-property-changed | clients | "type": {"const": "chat"}  →  "kind": {"const": "chat"}
        discriminator-value-changed | a message has a different name | error | error | Old clients send the old name. | Old clients do not know the new name. | discriminator-value-changed | clients | "type": {"const": "chat"}  →  "type": {"const": "ask"}
        message-renamed | a schema has another file | information | information | No message contains the name of the file. | = | message-renamed | clients | rest/chatResponse.json  →  rest/chatAnswer.json
        property-added-required | a required member is new | error? | error? | Old clients do not send it. | Old clients reject members they do not know. | property-removed-required | clients | "required": ["text"]  →  "required": ["text", "lang"], "lang" is new
        property-added-optional | an optional member is new | warning? | error? | Old clients may already use the name: the old schema allowed anything under it. | Old clients reject members they do not know. | property-removed-optional | clients | "properties": {}  →  "properties": {"lang": {}}
        property-removed-required | a required member is gone | error?warning | error | Old clients send it, and new servers reject or ignore it. | Old clients need it. | property-added-required | clients | "required": ["text", "lang"], "lang" is new  →  "required": ["text"]
        property-removed-optional | an optional member is gone | error? | warning | Old clients may send it, and new servers reject it. | Old clients that use it no longer get it. | property-added-optional | clients | "properties": {"lang": {}}  →  "properties": {}
        property-added-default | an optional member with a default is new | error | error | Old clients never send it, and new servers then assume its default. | Old servers never send it, and new clients then assume its default. | – | senders | "properties": {}  →  "properties": {"lang": {"default": "en"}}
        property-became-required | a member is required now | error? | information | Old clients may leave it out. | It was allowed before. | property-became-optional | clients | "required": []  →  "required": ["lang"]
        property-became-optional | a member is optional now | information | error? | accepted | Old clients need it. | property-became-required | clients | "required": ["lang"]  →  "required": []
        property-renamed | a member has a different name | error | error | Old clients send the old name. | Old clients look for the old name. | property-renamed | clients | "text": {}  →  "body": {}
        dependent-required-added | one member now requires another | error? | information | Old clients may send one without the other. | Both were allowed before. | dependent-required-removed | clients | {}  →  "dependentRequired": {"a": ["b"]}
        dependent-required-removed | one member no longer requires another | information | error? | accepted | Old clients expect both. | dependent-required-added | clients | "dependentRequired": {"a": ["b"]}  →  {}
        dependent-schemas-changed | a member requires something else of the others | error | error | refused | = | dependent-schemas-changed | everybody | "dependentSchemas": {"a": {}}  →  "dependentSchemas": {"a": {"required": ["b"]}}
        pattern-properties-changed | members that match a pattern have a different schema | error | error | refused | = | pattern-properties-changed | everybody | {}  →  "patternProperties": {"^x-": {"type": "string"}}
        property-names-changed | names of members are restricted in another way | error | error | refused | = | property-names-changed | everybody | {}  →  "propertyNames": {"pattern": "^[a-z]+$"}
        additional-properties-closed | other members are no longer allowed | error? | information | Old clients may send them. | They were allowed before and are no longer sent. | additional-properties-opened | clients | {}  →  "additionalProperties": false
        additional-properties-opened | other members are allowed now | information | error? | accepted | refused | additional-properties-closed | clients | "additionalProperties": false  →  {}
        additional-properties-narrowed | other members have a narrower schema | error? | information | refused | accepted | additional-properties-widened | clients | "additionalProperties": true  →  "additionalProperties": {"type": "string"}
        additional-properties-widened | other members have a wider schema | information | error? | accepted | refused | additional-properties-narrowed | clients | "additionalProperties": {"type": "string"}  →  "additionalProperties": true
        unevaluated-properties-changed | unevaluated members have a different schema | error | error | refused | = | unevaluated-properties-changed | everybody | {}  →  "unevaluatedProperties": false
        type-narrowed | fewer types are allowed | error? | information | refused | accepted | type-widened | clients | "type": ["string", "integer"]  →  "type": "string"
        type-widened | more types are allowed | information | error? | accepted | refused | type-narrowed | clients | "type": "string"  →  "type": ["string", "integer"]
        type-changed | other types are allowed | error? | error? | refused | = | type-changed | clients | "type": "string"  →  "type": "integer"
        became-not-nullable | null is no longer allowed | error? | information | Old clients may send null. | Clients accepted null and no longer get it. | became-nullable | clients | "type": ["string", "null"]  →  "type": "string"
        became-nullable | null is allowed now | information | error? | accepted | Old clients do not expect null. | became-not-nullable | clients | "type": "string"  →  "type": ["string", "null"]
        enum-value-removed | a value is no longer allowed | error? | information | Old clients may send it. | Old clients know every remaining value. | enum-value-added | clients | "enum": ["up", "down"]  →  "enum": ["up"]
        enum-value-added | a value is new | information | error? | Old clients never send it. | Old clients do not know it. | enum-value-removed | clients | "enum": ["up"]  →  "enum": ["up", "down"]
        enum-introduced | only listed values are allowed now | error? | information | refused | accepted | enum-dropped | clients | {}  →  "enum": ["up", "down"]
        enum-dropped | values beyond the list are allowed now | information | error? | accepted | refused | enum-introduced | clients | "enum": ["up", "down"]  →  {}
        const-introduced | only one value is allowed now | error? | information | refused | accepted | const-dropped | clients | {}  →  "const": 1
        const-dropped | more than one value is allowed now | information | error? | accepted | refused | const-introduced | clients | "const": 1  →  {}
        const-changed | another fixed value | error? | error? | refused | = | const-changed | clients | "const": 1  →  "const": 2
        format-changed | a different format is named | error | error | refused | = | format-changed | everybody | "format": "email"  →  "format": "uri"
        pattern-introduced | a pattern is required now | error? | information | refused | accepted | pattern-dropped | clients | {}  →  "pattern": "^[a-z]+$"
        pattern-dropped | a pattern is no longer required | information | error? | accepted | refused | pattern-introduced | clients | "pattern": "^[a-z]+$"  →  {}
        pattern-changed | another pattern is required | error? | error? | refused | = | pattern-changed | clients | "pattern": "^[a-z]{1,9}$"  →  "pattern": "^[a-z]{1,5}$"
        content-changed | the encoding or type of a text changed | error | error | New servers read the text differently from how old clients write it. | Old clients read the text differently from how new servers write it. | content-changed | clients | "contentEncoding": "base64"  →  "contentEncoding": "base16"
        default-changed | the default of a missing member changed | error | error | A missing member means something else to new peers than to old ones. | = | default-changed | everybody | "default": 1  →  "default": 2
        limit-tightened | a limit is tighter | error? | information | Old clients may go beyond it. | Everything within it was allowed before. | limit-loosened | clients | "maxLength": 80  →  "maxLength": 40
        limit-loosened | a limit is looser | information | error? | accepted | New servers may go beyond what old clients accept. | limit-tightened | clients | "maxLength": 40  →  "maxLength": 80
        limit-changed | another number of members is allowed | error | error | refused | = | limit-changed | everybody | {}  →  "minProperties": 1
        multiple-of-changed | numbers must be multiples of something else | error | error | refused | = | multiple-of-changed | everybody | "multipleOf": 2  →  "multipleOf": 3
        unique-items-on | elements must differ now | error? | information | Old clients may send equal ones. | Different ones were allowed before. | unique-items-off | clients | {}  →  "uniqueItems": true
        unique-items-off | elements may be equal now | information | error? | accepted | refused | unique-items-on | clients | "uniqueItems": true  →  {}
        items-closed | elements are no longer allowed | error? | information | Old clients may send them. | They were allowed before and are no longer sent. | items-opened | clients | {}  →  "items": false
        items-opened | elements are allowed now | information | error? | accepted | refused | items-closed | clients | "items": false  →  {}
        items-narrowed | elements have a narrower schema | error? | information | refused | accepted | items-widened | clients | "items": {}  →  "items": {"type": "string"}
        items-widened | elements have a wider schema | information | error? | accepted | refused | items-narrowed | clients | "items": {"type": "string"}  →  "items": {}
        unevaluated-items-changed | unevaluated elements have a different schema | error | error | refused | = | unevaluated-items-changed | everybody | {}  →  "unevaluatedItems": false
        prefix-items-changed | the first elements have other schemas | error | error | refused | = | prefix-items-changed | everybody | "prefixItems": [{}]  →  "prefixItems": [{}, {"type": "string"}]
        contains-added | one element must match a schema now | error? | information | refused | accepted | contains-removed | clients | {}  →  "contains": {"const": "user"}
        contains-removed | no element has to match a schema now | information | error? | accepted | refused | contains-added | clients | "contains": {"const": "user"}  →  {}
        contains-changed | one element must match a different schema | error? | error? | refused | = | contains-changed | clients | "contains": {"const": "user"}  →  "contains": {"const": "system"}
        alternatives-changed | anyOf or oneOf changed | error? | error? | refused | = | alternatives-changed | clients | "anyOf": [{"type": "string"}, {"type": "array"}]  →  "anyOf": [{"type": "string"}]
        all-of-member-added | a further schema must match | error? | information | refused | accepted | all-of-member-removed | clients | {}  →  "allOf": [{"required": ["lang"]}]
        all-of-member-removed | a further schema no longer has to match | information | error? | accepted | refused | all-of-member-added | clients | "allOf": [{"required": ["lang"]}]  →  {}
        condition-changed | if, then or else changed | error? | error? | refused | = | condition-changed | clients | "if": {"required": ["a"]}  →  "if": {"required": ["b"]}
        not-changed | the excluded schema changed | error? | error? | refused | = | not-changed | clients | {}  →  "not": {"required": ["debug"]}
        schema-changed | the schema accepts other values | error? | error? | refused | = | schema-changed | clients | {}  →  false
        reference-changed | a dynamic reference points elsewhere | error | error | refused | = | reference-changed | everybody | "$dynamicRef": "#a"  →  "$dynamicRef": "#b"
        not-proven | neither proved nor disproved | error | error | Whether new servers accept all that old clients send is not known. | Whether old clients accept all that new servers send is not known. | – | clients | a pattern  →  another pattern, so large that no proof was found within its bound
        dialect-changed | the schema uses another dialect | error | error | The same keywords may mean something else. | = | dialect-changed | clients | "$schema": "…/2020-12/schema"  →  "$schema": "…/draft-07/schema"
        schema-id-changed | the schema has a different id | information | information | No message contains it. | = | schema-id-changed | clients | "$id": "…/chat.json"  →  "$id": "…/ask.json"
        unknown-keyword | an unknown keyword | error | error | Probably a typo: nothing is checked. | = | – | clients | "maxLength": 9  →  "maxLenght": 9
        annotation-changed | the documentation changed | information | information | It does not decide whether a message is valid. | = | annotation-changed | clients | "description": "Says."  →  "description": "Tells."
        deprecation-withdrawn | something is no longer deprecated | warning | warning | Peers that stopped using it did not have to. | = | – | clients | "deprecated": true  →  {}
        """#
}
