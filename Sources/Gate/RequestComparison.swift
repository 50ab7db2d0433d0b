import Holdfast
import JSON
import SchemaDiff

/// Compares the requests over HTTP of two states, as `Spec/openapi.json` lists them.
struct RequestComparison {
    private typealias Request = RequestDocument.Request

    private static let file = GatePlace(file: RequestDocument.file, line: 1)

    /// Compares the requests of two states.
    /// - Throws: Every schema that cannot be used.
    static func entries(_ old: ProtocolState, _ new: ProtocolState) throws(InputProblems) -> [GateEntry] {
        let isSame = old.text(RequestDocument.file) == new.text(RequestDocument.file)
        guard let before = RequestDocument(old), let after = RequestDocument(new) else {
            return isSame ? [] : [doubt("the file is no JSON, so the requests cannot be compared")]
        }
        var entries = compare(before.requests, after.requests, by: \.name) { was in
            [entry("request-removed", .error, was, nil, why: "clients that send \(was.name) get no answer to it")]
        } changed: { was, now in
            changes(from: was, to: now)
        } added: { now in
            [entry("request-added", .information, nil, now, why: "clients may send \(now.name), and need not")]
        }
        if before.common != after.common {
            entries.append(doubt("what holds for all requests differs, and no rule knows whom it breaks"))
        }
        entries += try RequestSchemas.entries(old, new, before, after)
        if entries.isEmpty, !isSame {
            entries.append(
                GateEntry(
                    "page-changed", .information, old: file, new: file,
                    why: "the requests are explained in other words, or in another order, and are the same",
                    rise: .patch))
        }
        return entries
    }

    private static func changes(from was: Request, to now: Request) -> [GateEntry] {
        var entries: [GateEntry] = []
        func add(
            _ rule: String, _ severity: GateSeverity, old: JSONValue? = nil, new: JSONValue? = nil, why: String
        ) {
            entries.append(entry("request-\(rule)", severity, was, now, old: old, new: new, why: why))
        }
        if was.statuses != now.statuses {
            add(
                "status-changed", .warning, old: .array(was.statuses.map { .string($0) }),
                new: .array(now.statuses.map { .string($0) }),
                why: "clients of the old version may not know what to make of another status")
        }
        for (key, parameter) in now.parameters.sorted(by: { $0.key < $1.key }) {
            let before = was.parameters[key]
            if parameter.isRequired, before?.isRequired != true {
                add(
                    "parameter-required", .error, new: .string(key), why: "clients that leave out '\(key)' are refused")
            } else if before == nil {
                add(
                    "parameter-added", .information, new: .string(key), why: "clients may give '\(key)', and need not")
            } else if before?.isRequired != parameter.isRequired {
                add("parameter-optional", .information, new: .string(key), why: "clients may leave out '\(key)' now")
            }
        }
        for key in was.parameters.keys.sorted() where now.parameters[key] == nil {
            add("parameter-removed", .warning, old: .string(key), why: "clients that give '\(key)' are not heard")
        }
        if now.needsBody == true, was.needsBody != true {
            add("body-required", .error, why: "clients that send no body are refused")
        } else if now.needsBody == false, was.needsBody != false {
            add("body-optional", .information, why: "clients may send a body, and need not")
        }
        // What came or went as a whole is told above, but for a body that is not taken any more.
        let parts = was.rest.keys.filter { was.rest[$0] != now.rest[$0] && (now.rest[$0] != nil || $0 == "body") }
        return entries
            + parts.sorted().map { part in
                doubt("\(part) of \(now.name) differs, and no rule knows whom it breaks", was, now, part: part)
            }
    }

    /// A difference of which nobody has shown that it breaks no one.
    private static func doubt(
        _ why: String, _ before: Request? = nil, _ after: Request? = nil, part: String? = nil
    ) -> GateEntry {
        GateEntry(
            "not-proven", .error, old: before?.place ?? file, new: after?.place ?? file,
            oldValue: part.flatMap { before?.rest[$0] }, newValue: part.flatMap { after?.rest[$0] }, why: why,
            breaks: [GateParty(.client)], subjects: after.map { [$0.name] } ?? [])
    }

    private static func entry(
        _ rule: String, _ severity: GateSeverity, _ before: Request?, _ after: Request?, old: JSONValue? = nil,
        new: JSONValue? = nil, why: String
    ) -> GateEntry {
        GateEntry(
            rule, severity, old: before?.place, new: after?.place, oldValue: old, newValue: new, why: why,
            breaks: severity == .error ? [GateParty(.client)] : [],
            subjects: [after ?? before].compactMap { $0?.name })
    }
}
