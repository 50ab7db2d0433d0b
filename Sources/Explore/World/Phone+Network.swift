import Holdfast
import HoldfastJSON
import HoldfastStage
import HoldfastTranscript
import ReferenceClient

/// One connection of the app, or an attempt to open one.
final class Wire {
    let socket: Int
    let principal: String?
    /// The number that the server gave to it.
    var number = -1
    var upAt = 0
    var downAt = 0
    /// The server still holds its end.
    var isOpen = false
    /// The server has cut it: later messages are ignored, and none are sent.
    var isCut = false
    /// The app has abandoned it.
    var isAbandoned = false
    var wasAnswered = false

    init(_ socket: Int, principal: String?) { (self.socket, self.principal) = (socket, principal) }

    var lane: Lane { .connection(number: number) }
}

final class Call {
    let number: Int
    /// The number that the server gave to it.
    var exchange = 0
    var wasAnswered = false
    /// The app no longer waits for the answer.
    var isAbandoned = false

    init(_ number: Int) { self.number = number }
}

// The app's effects.
extension Phone {
    func launch(isFresh: Bool, opened: JSONValue?) {
        if app != nil { quit() }
        if isFresh { memory = nil }
        var rules = ClientRules(
            url: "ws://phone.invalid/ws", base: "http://phone.invalid", token: ClientSetting.token, timeScale: timeScale
        )
        rules.variations = setting.variations
        rules.followsStream = profiles.contains(.clientSync)
        life += 1
        app = FaultyClient(
            rules: rules, memory: memory?.text, dice: Dice(seed: chance.next()), defects: setting.defects)
        feed(.launched(opened: opened))
    }

    /// The system ends the app, and notifies it.
    func quit() {
        for effect in app?.farewell() ?? [] { perform(effect) }
        crash()
    }

    func crash() {
        app = nil
        life += 1
        timers = [:]
        for socket in sockets.keys.sorted() { abandon(socket, code: nil) }
        for number in requests.keys.sorted() { if let call = requests.removeValue(forKey: number) { abandon(call) } }
        noteChange()
    }

    func feed(_ input: Input) {
        guard let effects = app?.handle(input, at: clock) else { return }
        noteChange()
        for effect in effects { perform(effect) }
    }

    private func perform(_ effect: Effect) {
        let life = life
        switch effect {
        case .open(let socket, let url): open(socket, url)
        case .send(let socket, let text):
            guard let wire = sockets[socket] else { return }
            up(wire, slowly: true) { phone in
                // Messages that were not sent before the app abandoned the connection are not sent on it.
                guard !wire.isAbandoned else { return }
                phone.note(.text(.toServer, text), on: wire.lane)
                phone.act { [number = wire.number] in $0.receive(text, on: number) }
            }
        case .close(let socket, let code): abandon(socket, code: code.map(Int.init))
        case .request(let number, let request, let limit): ask(number, request, limit)
        case .cancel(let number): if let call = requests.removeValue(forKey: number) { abandon(call) }
        case .wait(let timer, let milliseconds):
            lastTimer += 1
            let token = lastTimer
            timers[timer] = token
            after(milliseconds * 1000) { phone in
                guard phone.life == life, phone.timers[timer] == token else { return }
                phone.timers[timer] = nil
                phone.feed(.elapsed(timer))
            }
        case .stopWaiting(let timer): timers[timer] = nil
        case .save(let kept): memory = kept
        }
    }

    /// The delay of a slow client before each act.
    private var slowness: Int { setting.variations.contains(.isSlow) ? Int(200_000 / timeScale) : 0 }

    private static func target(of url: String) -> String {
        let host = url.split(separator: "/", maxSplits: 2, omittingEmptySubsequences: true)
        return "/" + (host.count > 2 ? host[2] : "")
    }

    // MARK: connections

    private func open(_ socket: Int, _ url: String) {
        let wire = Wire(socket, principal: setting.variations.contains(.authorizesTheUpgrade) ? "p1" : nil)
        sockets[socket] = wire
        let rules = ClientRules(timeScale: timeScale)
        after(delay()) { $0.arrive(wire, Self.target(of: url)) }
        after((rules.real(rules.greeting) + 1000) * 1000) { phone in
            phone.giveUp(wire)
            if !wire.isOpen { phone.ended(wire, code: nil) }
        }
    }

    /// The server notices that an attempt without an answer failed.
    private func giveUp(_ wire: Wire) {
        guard wire.number >= 0, !wire.wasAnswered else { return }
        wire.wasAnswered = true
        note(.refused(status: nil, reason: "the client gave up"), on: wire.lane)
    }

    private func arrive(_ wire: Wire, _ target: String) {
        // A server never sees an attempt that the app abandoned before it arrived.
        guard !wire.isAbandoned else { return }
        lastConnection += 1
        let number = lastConnection
        wire.number = number
        wires[number] = wire
        note(.opening(Event.Opening(principal: wire.principal ?? "p1", path: target)), on: wire.lane)
        let admission = act { $0.admit(number) }
        guard admission != .silence else { return }
        wire.wasAnswered = true
        if let refusal = admission.refusal {
            note(refusal, on: wire.lane)
            return down(wire) { $0.ended(wire, code: nil) }
        }
        note(.opened, on: wire.lane)
        wire.isOpen = true
        down(wire) { $0.feed(.opened(socket: wire.socket)) }
        act { [principal = wire.principal] world in
            world.opened(number, principal: principal)
            if case .acceptAndClose(let code) = admission { world.close(number, code: code) }
        }
        after(10_000_000) { phone in phone.act { $0.authenticationIsOverdue(number) } }
        // The app may have abandoned it before the server accepted it.
        if wire.isAbandoned { up(wire) { $0.goodbye(wire, code: nil) } }
    }

    /// Something travels to the server; later messages never overtake it.
    private func up(_ wire: Wire, slowly: Bool = false, _ action: @escaping (Phone) -> Void) {
        wire.upAt = max(wire.upAt, now + (slowly ? slowness : 0) + delay())
        at(wire.upAt) { phone in if wire.isOpen, !wire.isCut { action(phone) } }
    }

    private func down(_ wire: Wire, _ action: @escaping (Phone) -> Void) {
        wire.downAt = max(wire.downAt, now + delay())
        at(wire.downAt) { phone in if !wire.isAbandoned { action(phone) } }
    }

    /// The app closes a connection, properly if there is a code.
    private func abandon(_ socket: Int, code: Int?) {
        guard let wire = sockets.removeValue(forKey: socket) else { return }
        up(wire) { $0.goodbye(wire, code: code) }
        after(delay()) { $0.giveUp(wire) }
        wire.isAbandoned = true
    }

    private func goodbye(_ wire: Wire, code: Int?) {
        if let code { note(.close(.toServer, code: code, reason: ""), on: wire.lane) }
        note(.eof(reason: ""), on: wire.lane)
        gone(wire)
    }

    private func gone(_ wire: Wire) {
        wire.isOpen = false
        arrivals.forget(connection: wire.number)
        act { [number = wire.number] in $0.ended(number) }
    }

    private func ended(_ wire: Wire, code: Int?) {
        guard !wire.isAbandoned else { return }
        wire.isAbandoned = true
        sockets[wire.socket] = nil
        feed(.ended(socket: wire.socket, code: code))
    }

    // MARK: requests

    private func ask(_ number: Int, _ request: ReferenceClient.RESTRequest, _ limit: Int) {
        let call = Call(number)
        requests[number] = call
        after(slowness + delay()) { phone in if !call.isAbandoned { phone.arrive(call, request) } }
        after(limit * 1000) { phone in
            guard phone.requests[number] === call else { return }
            phone.requests[number] = nil
            phone.abandon(call)
            phone.feed(.answered(request: number, nil))
        }
    }

    private func arrive(_ call: Call, _ request: ReferenceClient.RESTRequest) {
        lastExchange += 1
        let number = lastExchange
        call.exchange = number
        calls[number] = call
        let principal = request.token.map { $0 == ClientSetting.token ? "p1" : "other" }
        let target = Self.target(of: request.url)
        note(
            .request(
                Event.Request(
                    method: request.method, path: target, principal: principal,
                    body: request.body.isEmpty ? nil : request.body)), on: .exchange(number))
        let body = try? JSONParser.value(request.body)
        let path = String(target.prefix { $0 != "?" })
        act { $0.asked(number, method: request.method, path: path, principal: principal, body: body) }
    }

    private func abandon(_ call: Call) {
        call.isAbandoned = true
        after(delay()) { phone in
            guard call.exchange > 0, !call.wasAnswered else { return }
            call.wasAnswered = true
            phone.note(.failed(reason: "the client went away"), on: .exchange(call.exchange))
            phone.act { [number = call.exchange] in $0.gone(number) }
        }
    }

    private func answer(_ number: Int, _ answer: ReferenceClient.RESTAnswer?) {
        guard let call = calls[number], !call.wasAnswered else { return }
        call.wasAnswered = true
        after(delay()) { [event = events.count - 1] phone in
            guard !call.isAbandoned, phone.requests[call.number] === call else { return }
            phone.handledAt[event] = phone.now
            phone.requests[call.number] = nil
            phone.feed(.answered(request: call.number, answer))
        }
    }

    // MARK: effects of the server

    func perform(_ effect: WorldEffect) {
        switch effect {
        case .send(let number, let frame): say(frame.text(), on: number)
        case .sendRaw(let number, let text, let bytes):
            if let text { say(text, on: number) }
            guard let bytes, let wire = wires[number], wire.isOpen else { return }
            note(.binary(.fromServer, bytes), on: wire.lane)
        case .close(let number, let code):
            guard let wire = wires[number], wire.isOpen else { return }
            note(.close(.fromServer, code: code, reason: ""), on: wire.lane)
            arrivals.forget(connection: number)
            down(wire) { phone in
                phone.up(wire) { $0.goodbye(wire, code: code) }
                phone.ended(wire, code: code)
            }
        case .cut(let number, let how):
            guard let wire = wires[number], wire.isOpen else { return }
            note(.act("cut", ["how": .string(how.rawValue)]), on: wire.lane)
            arrivals.forget(connection: number)
            wire.isCut = true
            if how != .silence { down(wire) { $0.ended(wire, code: nil) } }
        case .answer(let number, let answer):
            guard calls[number]?.wasAnswered == false else { return }
            let response = answer.response
            note(.response(response), on: .exchange(number))
            self.answer(
                number,
                ReferenceClient.RESTAnswer(
                    status: response.status, body: response.body, retryAfter: answer.retryAfter.map { "\($0)" }))
        case .hangUp(let number):
            guard calls[number]?.wasAnswered == false else { return }
            note(.failed(reason: "the server reset the connection"), on: .exchange(number))
            answer(number, nil)
        case .later(let token, let milliseconds):
            after(milliseconds * 1000) { phone in phone.act { $0.due(token) } }
        case .arrived(let arrival): arrivals.note(arrival)
        }
    }

    private func say(_ text: String, on number: Int) {
        guard let wire = wires[number], wire.isOpen, !wire.isCut else { return }
        note(.text(.fromServer, text), on: wire.lane)
        down(wire) { [event = events.count - 1] phone in
            phone.handledAt[event] = phone.now
            phone.feed(.received(socket: wire.socket, text))
        }
    }
}
