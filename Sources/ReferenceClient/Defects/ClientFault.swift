import HoldfastJSON

/// One change to a client, outside its core.
enum ClientFault: Sendable {
    /// A layer around the core: inputs pass through it on their way in, and effects on their way out.
    typealias Layer = @Sendable (Input, inout FaultyClient, Next) -> [Effect]
    /// Passes an input on to the inner layers and the core.
    typealias Next = (Input, inout FaultyClient) -> [Effect]

    case rules(@Sendable (inout ClientRules) -> Void)
    case layer(Layer)
    case screen(@Sendable (inout Screen, FaultyClient) -> Void)

    static func input(_ change: @escaping @Sendable (Input, inout FaultyClient) -> Input?) -> ClientFault {
        .layer { input, client, next in change(input, &client).map { next($0, &client) } ?? [] }
    }

    static func hears(
        _ type: String? = nil, _ change: @escaping @Sendable (inout JSONValue, inout FaultyClient) -> Void
    ) -> ClientFault {
        input { input, client in
            guard case .received(let socket, _) = input, let frame = client.frame(in: input),
                type == nil || frame.type == type
            else { return input }
            var changed = frame
            change(&changed, &client)
            return changed == frame ? input : .received(socket: socket, changed.text())
        }
    }

    static func drops(_ isDropped: @escaping @Sendable (JSONValue, FaultyClient) -> Bool) -> ClientFault {
        input { input, client in client.frame(in: input).map { isDropped($0, client) } == true ? nil : input }
    }

    /// Also shows a spinner while the condition holds.
    static func thinks(_ condition: @escaping @Sendable (FaultyClient) -> Bool) -> ClientFault {
        .screen { screen, client in if condition(client) { screen.isThinking = true } }
    }

    /// Replaces an effect; nil leaves it unchanged.
    static func effects(
        _ change: @escaping @Sendable (Effect, Input, inout FaultyClient) -> [Effect]?
    ) -> ClientFault {
        .layer { input, client, next in
            next(input, &client).flatMap { change($0, input, &client) ?? [$0] }
        }
    }

    static func sends(
        _ type: String, _ texts: @escaping @Sendable (inout JSONValue, FaultyClient) -> [String]
    ) -> ClientFault {
        effects { effect, _, client in
            guard case .send(let socket, let text) = effect, var frame = ClientCore.object(text), frame.type == type
            else { return nil }
            return texts(&frame, client).map { .send(socket: socket, $0) }
        }
    }

    /// Changes the wait before the next attempt; nil prevents the attempt.
    static func attempts(_ wait: @escaping @Sendable (_ ms: Int, Input, FaultyClient) -> Int?) -> ClientFault {
        effects { effect, input, client in
            guard case .wait(.reconnect, let ms) = effect else { return nil }
            return wait(ms, input, client).map { [.wait(.reconnect, ms: max(1, $0))] } ?? []
        }
    }

    /// Saves nothing before the app goes to the background or the system ends it.
    static func storesLate() -> ClientFault {
        .layer { input, client, next in
            let effects = next(input, &client).compactMap { effect -> Effect? in
                guard case .save(let memory) = effect else { return effect }
                client.notes.unsaved = memory
                return nil
            }
            guard case .background = input else { return effects }
            return client.farewell() + effects
        }
    }

    static func after(_ body: @escaping @Sendable (Input, inout FaultyClient) -> [Effect]) -> ClientFault {
        .layer { input, client, next in next(input, &client) + body(input, &client) }
    }

    static func resends(_ change: @escaping @Sendable (inout JSONValue) -> Void) -> ClientFault {
        @Sendable func changed(_ text: String, _ client: inout FaultyClient) -> String {
            guard var body = ClientCore.object(text), let key = body.text("clientMessageId"),
                !client.notes.marks.insert("sent \(key)").inserted
            else { return text }
            change(&body)
            return body.text()
        }
        return effects { effect, _, client in
            switch effect {
            case .send(let socket, let text): return [.send(socket: socket, changed(text, &client))]
            case .request(let number, var request, let limit):
                request.body = changed(request.body, &client)
                return [.request(number, request, limit: limit)]
            default: return nil
            }
        }
    }

    /// Merges histories differently, given the conversation before and the history's messages.
    static func merges(
        _ merged: @escaping @Sendable (_ now: [Message], _ before: [Message], _ history: [Message]) -> [Message]
    ) -> ClientFault {
        .layer { input, client, next in
            guard let read = client.read(in: input) else { return next(input, &client) }
            let before = client.core.conversations[read.conversation]?.messages ?? []
            let effects = next(input, &client)
            let number = client.core.knownNumber(read.session) ?? read.conversation
            let now = client.core.conversations[number]?.messages ?? []
            client.core.conversations[number]?.messages = merged(now, before, read.messages)
            return effects
        }
    }

    /// Handles answers differently, given the conversation before and the answers that arrived unrequested.
    static func takes(
        _ taken: @escaping @Sendable (_ now: inout [Message], _ before: [Message], _ answer: JSONValue) -> Void
    ) -> ClientFault {
        .layer { input, client, next in
            let conversations = client.core.conversations
            let frame = client.frame(in: input)
            let effects = next(input, &client)
            for done in [frame].compactMap(\.self) + (frame?["missed"]?.arrayValue ?? []) where done.type == "done" {
                guard let number = done.text("sessionId").flatMap(client.core.knownNumber) else { continue }
                let before = conversations[number]?.messages ?? []
                taken(&client.core.conversations[number, default: Conversation(number: number)].messages, before, done)
            }
            return effects
        }
    }
}
