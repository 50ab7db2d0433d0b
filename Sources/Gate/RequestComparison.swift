import Holdfast
import JSON
import SchemaDiff

/// Compares the requests over HTTP of two states, as `Spec/openapi.json` lists them.
struct RequestComparison {
    private typealias Request = RequestDocument.Request

    /// Compares the requests of two states.
    /// - Throws: Every schema that cannot be used.
    static func entries(_ old: ProtocolState, _ new: ProtocolState) throws(InputProblems) -> [GateEntry] {
        let isSame = old.text(RequestDocument.file) == new.text(RequestDocument.file)
        guard let before = RequestDocument(old), let after = RequestDocument(new) else {
            return isSame ? [] : [doubt("the file is no JSON, so the requests cannot be compared", nil, nil)]
        }
        var entries: [GateEntry] = []
        for (name, was) in before.requests.sorted(by: { $0.key < $1.key }) {
            guard let now = after.requests[name] else {
                entries.append(
                    entry(
                        "request-removed", .error, was, nil, why: "clients that send \(name) get no answer to it",
                        breaks: [GateParty(.client)], rise: .major, name))
                continue
            }
            entries += changes(name, from: was, to: now)
        }
        for (name, now) in after.requests.sorted(by: { $0.key < $1.key }) where before.requests[name] == nil {
            entries.append(
                entry(
                    "request-added", .information, nil, now, why: "clients may send \(name), and need not",
                    rise: .minor, name))
        }
        if before.common != after.common {
            entries.append(doubt("what holds for all requests differs, and no rule knows whom it breaks", nil, nil))
        }
        entries += try RequestSchemas.entries(old, new, before, after)
        if entries.isEmpty, !isSame { entries.append(reworded) }
        return entries
    }

    private static func changes(_ name: String, from was: Request, to now: Request) -> [GateEntry] {
        var entries: [GateEntry] = []
        let added = now.statuses.filter { !was.statuses.contains($0) }
        let removed = was.statuses.filter { !now.statuses.contains($0) }
        if !added.isEmpty || !removed.isEmpty {
            entries.append(
                entry(
                    "request-status-changed", .warning, was, now,
                    old: .array(was.statuses.map { .string($0) }), new: .array(now.statuses.map { .string($0) }),
                    why: "clients of the old version may not know what to make of another status", rise: .minor, name))
        }
        for (key, parameter) in now.parameters.sorted(by: { $0.key < $1.key }) {
            let before = was.parameters[key]
            if parameter.isRequired, before?.isRequired != true {
                entries.append(
                    entry(
                        "request-parameter-required", .error, was, now, new: .string(key),
                        why: "clients that leave out '\(key)' are refused", breaks: [GateParty(.client)],
                        rise: .major, name))
            } else if before == nil {
                entries.append(
                    entry(
                        "request-parameter-added", .information, was, now, new: .string(key),
                        why: "clients may give '\(key)', and need not", rise: .minor, name))
            } else if before?.isRequired != parameter.isRequired {
                entries.append(
                    entry(
                        "request-parameter-optional", .information, was, now, new: .string(key),
                        why: "clients may leave out '\(key)' now", rise: .minor, name))
            }
        }
        for key in was.parameters.keys.sorted() where now.parameters[key] == nil {
            entries.append(
                entry(
                    "request-parameter-removed", .warning, was, now, old: .string(key),
                    why: "clients that give '\(key)' are not heard", rise: .minor, name))
        }
        if now.needsBody == true, was.needsBody != true {
            entries.append(
                entry(
                    "request-body-required", .error, was, now, why: "clients that send no body are refused",
                    breaks: [GateParty(.client)], rise: .major, name))
        } else if now.needsBody == false, was.needsBody != false {
            entries.append(
                entry(
                    "request-body-optional", .information, was, now, why: "clients may send a body, and need not",
                    rise: .minor, name))
        }
        // What came or went as a whole is told above, but for a body that is not taken any more.
        let parts = Set(was.rest.keys).union(now.rest.keys).filter { part in
            let isInBoth = was.rest[part] != nil && now.rest[part] != nil
            return was.rest[part] != now.rest[part] && (isInBoth || (part == "body" && now.rest[part] == nil))
        }
        for part in parts.sorted() {
            entries.append(
                doubt("\(part) of \(name) differs, and no rule knows whom it breaks", was, now, part: part, name))
        }
        return entries
    }

    /// A difference of which nobody has shown that it breaks no one.
    private static func doubt(
        _ why: String, _ before: Request?, _ after: Request?, part: String? = nil, _ name: String? = nil
    ) -> GateEntry {
        let file = GatePlace(file: RequestDocument.file, line: 1)
        return GateEntry(
            GateFinding(
                rule: "not-proven", severity: .error, direction: nil, old: before?.place ?? file,
                new: after?.place ?? file, oldValue: part.flatMap { before?.rest[$0] },
                newValue: part.flatMap { after?.rest[$0] }, why: why),
            breaks: [GateParty(.client)], rise: .major, subjects: name.map { [$0] } ?? [])
    }

    private static var reworded: GateEntry {
        let place = GatePlace(file: RequestDocument.file, line: 1)
        return GateEntry(
            GateFinding(
                rule: "page-changed", severity: .information, direction: nil, old: place, new: place,
                why: "the requests are explained in other words, or in another order, and are the same"),
            rise: .patch)
    }

    private static func entry(
        _ rule: String, _ severity: GateSeverity, _ before: Request?, _ after: Request?, old: JSONValue? = nil,
        new: JSONValue? = nil, why: String, breaks: [GateParty] = [], rise: Rise, _ name: String
    ) -> GateEntry {
        GateEntry(
            GateFinding(
                rule: rule, severity: severity, direction: nil, old: before?.place, new: after?.place, oldValue: old,
                newValue: new, why: why),
            breaks: breaks, rise: rise, subjects: [name])
    }
}
