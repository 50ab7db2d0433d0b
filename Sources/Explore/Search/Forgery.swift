import Holdfast
import HoldfastBasics
import HoldfastJSON
import HoldfastTranscript

/// One edit of a server's frame or response: the result is a history that no healthy server leaves, or a legal one.
///
/// An edit that the judge does not notice is either legal or a gap of the judge.
package struct Forgery: Sendable {
    /// The edited member and the edit, such as `done.text: changed`.
    package let kind: String
    /// The event that is edited.
    package let event: Int
    private let events: [Event]

    /// All edits of one event, each of the ones that a history offers.
    private enum Edit {
        case drop, double, swap(Int)
        case value([Step], Change)
    }

    private enum Step { case member(String), element(Int) }

    private enum Change {
        case absent, changed, twice, reversed
    }

    /// The history as it would have been recorded.
    package func history(_ header: History.Header) -> History { History(header: header, events: events) }

    /// Edits of a history, drawn so that rare kinds come as often as frequent ones.
    package static func drawn(_ count: Int, of history: History, seed: UInt64) -> [Forgery] {
        var chance = SplitMix64(seed: seed)
        var places: [String: [(event: Int, edit: Edit)]] = [:]
        var spoken: [Lane: Int] = [:]
        for (index, event) in history.events.enumerated().reversed() {
            guard let (name, root) = said(event) else { continue }
            if case .text = event.kind {
                places["\(name): left out", default: []].append((index, .drop))
                places["\(name): said twice", default: []].append((index, .double))
                if let next = spoken[event.lane] {
                    places["\(name): after the next", default: []].append((index, .swap(next)))
                }
            }
            spoken[event.lane] = index
            guard let root else { continue }
            walk(root, name, []) { kind, path, change in
                places[kind, default: []].append((index, .value(path, change)))
            }
        }
        let kinds = places.keys.sorted()
        guard !kinds.isEmpty else { return [] }
        return (0..<count).compactMap { _ in
            let kind = kinds[chance.number(in: 0...kinds.count - 1)]
            guard let all = places[kind] else { return nil }
            let place = all[chance.number(in: 0...all.count - 1)]
            return Forgery(kind: kind, event: place.event, events: apply(place.edit, at: place.event, history.events))
        }
    }

    /// A server's message at an event: its name, and its value; the value is nil if it is not JSON.
    private static func said(_ event: Event) -> (name: String, root: JSONValue?)? {
        switch event.kind {
        case .text(.fromServer, let text):
            let root = try? JSONParser.value(text)
            return (root?["type"]?.stringValue ?? "frame", root)
        case .response(let response):
            guard event.lane != .push else { return nil }
            let root = try? JSONParser.value(response.body)
            let name = root?["session"] != nil ? "read" : root?["sessions"] != nil ? "list" : "answer"
            return ("\(name)\(response.status == 200 ? "" : " that refuses")", root)
        case .request(let request) where event.lane == .push:
            return request.body.map { ("push", try? JSONParser.value($0)) }
        default: return nil
        }
    }

    private static func walk(
        _ value: JSONValue, _ name: String, _ path: [Step], _ add: (String, [Step], Change) -> Void
    ) {
        if let object = value.objectValue {
            for member in object where member.key != "type" {
                let (inner, place) = ("\(name).\(member.key)", path + [.member(member.key)])
                add("\(inner): absent", place, .absent)
                walk(member.value, inner, place, add)
            }
        } else if let array = value.arrayValue {
            for (index, element) in array.enumerated() {
                let kind = element["type"]?.stringValue ?? element["role"]?.stringValue
                let (inner, place) = ("\(name)[\(kind ?? "")]", path + [.element(index)])
                add("\(inner): absent", place, .absent)
                add("\(inner): twice", place, .twice)
                walk(element, inner, place, add)
            }
            if array.count > 1, array.first != array.last { add("\(name): reversed", path, .reversed) }
        } else {
            add("\(name): changed", path, .changed)
        }
    }

    private static func apply(_ edit: Edit, at index: Int, _ events: [Event]) -> [Event] {
        var events = events
        switch edit {
        case .drop: events.remove(at: index)
        case .double: events.insert(events[index], at: index)
        case .swap(let other):
            let event = events[index]
            events[index].kind = events[other].kind
            events[other].kind = event.kind
        case .value(let path, let change):
            guard let root = said(events[index])?.root,
                let changed = apply(change, to: root, path[...])
            else { return events }
            switch events[index].kind {
            case .text(let direction, _): events[index].kind = .text(direction, changed.text())
            case .response(var response):
                response.body = changed.text()
                events[index].kind = .response(response)
            case .request(var request):
                request.body = changed.text()
                events[index].kind = .request(request)
            default: break
            }
        }
        return events
    }

    /// The value with the change at the end of a path; nil where it goes.
    private static func apply(_ change: Change, to value: JSONValue, _ path: ArraySlice<Step>) -> JSONValue? {
        guard let step = path.first else { return changed(value, change) }
        var value = value
        switch step {
        case .member(let name):
            guard let inner = value[name] else { return value }
            value[name] = apply(change, to: inner, path.dropFirst())
        case .element(let index):
            guard var array = value.arrayValue, array.indices.contains(index) else { return value }
            if path.count == 1, change == .twice {
                array.insert(array[index], at: index)
            } else if let inner = apply(change, to: array[index], path.dropFirst()) {
                array[index] = inner
            } else {
                array.remove(at: index)
            }
            value = .array(array)
        }
        return value
    }

    private static func changed(_ value: JSONValue, _ change: Change) -> JSONValue? {
        switch change {
        case .absent: return nil
        case .reversed: return .array((value.arrayValue ?? []).reversed())
        case .twice: return value
        case .changed:
            if let text = value.stringValue { return .string(text + "x") }
            if let number = value.intValue { return JSONValue(number + 1) }
            if let holds = value.boolValue { return JSONValue(!holds) }
            return .string("x")
        }
    }
}
