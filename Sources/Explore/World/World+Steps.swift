import Holdfast
import HoldfastBasics
import HoldfastJSON
import HoldfastStage
import HoldfastTranscript

// The steps of scenarios, as the stage performs them.
extension World {
    /// Begins a step; nil when it is done at once, and else what it waits for.
    func begin(_ step: ScenarioStep, on strand: Strand) throws(StrandEnd) -> Strand.Wait? {
        let (action, place) = (step.action, "\(step.pointer)")
        let names = Names(variables.overlaid(by: strand.local), place: place)
        switch action {
        case .connect(let step): return try connect(step, names)
        case .chat(let question, let lane): try chat(question, on: try open(lane, place), names)
        case .send(let frame, nil, let lane):
            let text = try names.value(frame).text()
            let shown = principals.reduce(text) { text, person in
                guard let token = person.value.token, !token.isEmpty else { return text }
                return text.replacing("\"\(token)\"", with: "\"‹token of \(person.key)›\"")
            }
            send(text, shown: shown, on: try open(lane, place))
        case .sendText(let fragments, let times, let lane):
            let texts = try fragments.map { text throws(StrandEnd) in
                String(repeating: try names.text(text), count: times)
            }
            send(texts.joined(), fragments: texts.count, on: try open(lane, place))
        case .sendBinary(.bytes(let bytes), let lane): send(binary: bytes, on: try open(lane, place))
        case .sendBinary(.frame(let frame), let lane):
            send(binary: Array(try names.value(frame).text().utf8), on: try open(lane, place))
        case .ping(let lane): ping("", on: try open(lane, place))
        case .await(let awaited, let lane): return try self.await(awaited, on: try open(lane, place), names)
        case .awaitClose(let bound, let told, let lane): return try awaitClose(bound, told, lane, names)
        case .watch(let told):
            let time = try duration(told, names)
            return Strand.Wait(deadline: now + time) { _ in
                .notYet
            } isLate: { world throws(StrandEnd) in
                world.note(.wait(awaited: "time", met: true), on: .server)
            }
        case .mute(let lane):
            let link = try open(lane, place)
            link.isMute = true
            note(act: "mute", on: link.lane)
        case .fence(let lane): return fence(try open(lane, place), orElse: .unmet("\(place): no pong in time"))
        case .http(let exchange):
            let body = try exchange.body.map { body throws(StrandEnd) in try names.value(body).text() }
            return try ask(
                exchange.method, try names.text(exchange.path), exchange.credential, body ?? exchange.bodyText,
                within: exchange.bounds, names
            ) { world, answer throws(StrandEnd) in
                try world.save(exchange.save, from: answer, of: "response", names)
                return true
            }
        case .postChat(let question, let credential, let save): return try post(question, credential, save, names)
        case .leave(let question, let how): return try leave(question, how, names)
        case .readUntil(let read):
            return try self.read(read, names, deadline: now + limit(read.bound.within), pause: 5_000)
        case .sync(let position, let epoch, let limit, let lane):
            var frame: JSONValue = ["type": "sync"]
            frame["lastSeqSeen"] = try names.value(position)
            if let epoch { frame["epoch"] = try names.value(.string(epoch)) }
            if let limit { frame["limit"] = try names.value(limit) }
            send(frame.text(), on: try open(lane, place))
        case .cut(let how, let lane): cut(try open(lane, place), how)
        case .close(let code, let lane):
            let link = try open(lane, place)
            return closed(link, code: code)
        case .stopReading(let lane):
            let link = try open(lane, place)
            note(act: "stopReading", on: link.lane)
            link.isPaused = true
        case .resumeReading(let lane):
            let link = try open(lane, place)
            note(act: "resumeReading", on: link.lane)
            resumeReading(link)
        case .together(let branches): return together(branches.map { Strand($0, local: strand.local) })
        case .repeat(let times, let counter, let until, let isParallel, let steps):
            return try self.repeat(try names.number(times), counter, until, isParallel, steps, on: strand)
        case .alive(let principal):
            let letter = ScenarioStep.lifeLane
            let connect = ScenarioStep.Connect(on: letter, credential: ScenarioStep.Credential(principal: principal))
            guard let opened = try self.connect(connect, names) else { return nil }
            if let deadline = opened.deadline { at(deadline) { _ in } }
            return opened.then { world throws(StrandEnd) in
                let link = try world.open(letter, place)
                return world.fence(link, orElse: .unmet("\(place): no pong in time")).then { world in
                    world.closed(link, code: 1000)
                }
            }
        case .process(let step): return try process(step, names)
        case .pushAnswer(let answer): program(answer)
        case .awaitPush(let awaited): return try awaitPush(awaited, names)
        case .send: throw .unsuitable("\(place): frames of a size")
        }
        return nil
    }

    /// Closes a connection, and waits until it has ended.
    private func closed(_ link: Link, code: Int) -> Strand.Wait {
        close(link, code: code)
        return Strand.Wait(deadline: now + limit("close")) { _ in link.hasEnded ? .there : .notYet }
    }

    private func `repeat`(
        _ times: Int, _ counter: String?, _ until: String?, _ isParallel: Bool, _ steps: [ScenarioStep],
        on strand: Strand
    ) throws(StrandEnd) -> Strand.Wait? {
        guard times > 0 else { return nil }
        var first = strand.local
        if let counter { first[counter] = 1 }
        guard isParallel else {
            if let until, variables[until] != nil { return nil }
            let rounds = Strand.Rounds(times: times, counter: counter, until: until)
            strand.levels.append(Strand.Level(steps: steps, local: first, rounds: rounds))
            return nil
        }
        return together(
            (1...times).map { number in
                var local = strand.local
                if let counter { local[counter] = JSONValue(number) }
                return Strand(steps, local: local)
            })
    }

    // MARK: connections

    private func open(_ letter: String, _ place: String) throws(StrandEnd) -> Link {
        if let link = lanes[letter], !refusedLanes.contains(letter) { return link }
        if refusedLanes.contains(letter) { throw .unmet("\(place): connection \(letter) was refused") }
        throw .problem("\(place): no connection \(letter)")
    }

    private func token(_ credential: ScenarioStep.Credential, _ names: Names) throws(StrandEnd) -> String? {
        switch credential.token {
        case .own: return principals[credential.principal]?.token
        case .none: return nil
        case .other(let text): return try names.text(text)
        }
    }

    private func connect(_ step: ScenarioStep.Connect, _ names: Names) throws(StrandEnd) -> Strand.Wait? {
        guard step.query == nil else { throw .unsuitable("\(names.place): queries of upgrades") }
        let lane = Lane.connection(step.on)
        lanes[step.on].map(leave)
        note(
            .opening(Event.Opening(principal: step.credential.shown ?? step.credential.principal, path: "/ws")),
            on: lane)
        guard server != nil else {
            note(.refused(status: nil, reason: "connectionRefused"), on: lane)
            refusedLanes.insert(step.on)
            note(.wait(awaited: "upgrade", met: false), on: lane)
            if !step.isOptional { throw .unmet("\(names.place): no upgrade in time") }
            return nil
        }
        var auth: JSONValue = ["type": "auth"]
        auth["protocol"] = try names.value(step.version)
        var shownAuth = auth
        if let token = try token(step.credential, names) {
            auth["token"] = .string(token)
            shownAuth["token"] = .string(
                step.credential.token == .own ? "‹token of \(step.credential.principal)›" : token)
        }
        let client = JSONValue.string(try names.text(step.clientId ?? "device-\(step.on)-${run}"))
        auth["clientId"] = client
        shownAuth["clientId"] = client
        lastNumber += 1
        let link = Link(step.on, number: lastNumber, life: life)
        links[link.number] = link
        refusedLanes.remove(step.on)
        lanes[step.on] = link
        up(link) { [auth, shownAuth] world, link in
            world.tell(.opened(socket: link.number))
            world.down(link.number) { world, link in
                link.isOpen = true
                world.note(.opened, on: link.lane)
                if step.handshake { world.send(auth.text(), shown: shownAuth.text(), on: link) }
            }
        }
        let deadline = now + limit("connect")
        at(deadline) { _ in }
        let opened = Strand.Wait(deadline: deadline) { _ in
            link.isOpen ? .there : link.hasEnded ? .never : .notYet
        } isLate: { world throws(StrandEnd) in
            try world.missed("upgrade", on: link.lane, isOptional: step.isOptional, names)
        }
        guard step.handshake else { return opened }
        return opened.then { world throws(StrandEnd) in
            link.isOpen ? world.greeted(on: link, step, names) : nil
        }
    }

    private func greeted(on link: Link, _ step: ScenarioStep.Connect, _ names: Names) -> Strand.Wait {
        Strand.Wait(deadline: now + limit("connect")) { world throws(StrandEnd) in
            guard let connected = link.take(["connected"], where: { _ in true }) else {
                return link.hasEnded ? .never : .notYet
            }
            link.isAuthenticated = true
            try world.save(step.save, from: connected, of: "connected", names)
            return .there
        } isLate: { world throws(StrandEnd) in
            try world.missed("connected", on: link.lane, isOptional: step.isOptional, names)
        }
    }

    private func chat(_ question: ScenarioStep.Question, on link: Link, _ names: Names) throws(StrandEnd) {
        var frame: JSONValue = ["type": "chat"]
        for member in try body(of: question, names) { frame[member.key] = member.value }
        scriptWait += question.waitMs
        link.owedUntil = now + limit("turn")
        send(try lengthened(frame, to: question.bytes, names).text(), fragments: question.fragments, on: link)
    }

    /// A question with words that make it as long as asked for.
    private func lengthened(
        _ question: JSONValue, to bytes: JSONValue?, _ names: Names
    ) throws(StrandEnd) -> JSONValue {
        guard let bytes else { return question }
        let missing = try names.number(bytes) - question.text().utf8.count
        return ScenarioStep.Question.lengthened(question, by: max(0, missing)) ?? question
    }

    private func body(of question: ScenarioStep.Question, _ names: Names) throws(StrandEnd) -> JSONObject {
        do {
            return try question.body(
                obeysScripts: true, filled: { try names.value($0) }, key: { key(of: $0) },
                count: { min(max(0, try names.number($0)), 2_000) })
        } catch {
            throw error as? StrandEnd ?? .problem("\(names.place): \(error)")
        }
    }

    private func key(of name: String) -> String {
        if let known = variables[name]?.stringValue { return known }
        let key = "key-of-\(name)"
        variables[name] = .string(key)
        return key
    }

    // MARK: waits

    private func `await`(
        _ awaited: ScenarioStep.Await, on link: Link, _ names: Names
    ) throws(StrandEnd) -> Strand.Wait {
        let matches = try matching(awaited.conditions, names)
        let what = awaited.types.joined(separator: " or ")
        var deadline = now + limit(awaited.bound.within)
        if !awaited.bound.isOptional { deadline = max(deadline, link.owedUntil) }
        return Strand.Wait(deadline: deadline) { world throws(StrandEnd) in
            if let frame = link.take(awaited.types, where: matches) {
                try world.save(awaited.save, from: frame, of: what, names)
                return .there
            }
            guard link.hasEnded else { return .notYet }
            return awaited.types.contains("close") ? .there : .never
        } isLate: { world throws(StrandEnd) in
            try world.missed(what, on: link.lane, isOptional: awaited.bound.isOptional, names)
        }
    }

    private func awaitClose(
        _ bound: ScenarioStep.Bound, _ told: ScenarioStep.Told?, _ lane: String, _ names: Names
    ) throws(StrandEnd) -> Strand.Wait? {
        if refusedLanes.contains(lane) { return nil }
        let link = try open(lane, names.place)
        let time = try told.map { told throws(StrandEnd) in try duration(told, names) } ?? 0
        return Strand.Wait(deadline: now + time + limit(bound.within)) { _ in
            link.hasEnded ? .there : .notYet
        } isLate: { world throws(StrandEnd) in
            try world.missed("close", on: link.lane, isOptional: bound.isOptional, names)
        }
    }

    private func awaitPush(_ awaited: ScenarioStep.AwaitPush, _ names: Names) throws(StrandEnd) -> Strand.Wait {
        let matches = try matching(awaited.conditions, names)
        let what = "push to \(awaited.principal)"
        return Strand.Wait(deadline: now + limit(awaited.bound.within)) { world throws(StrandEnd) in
            guard let push = world.takePush(to: awaited.principal, matches) else { return .notYet }
            try world.save(awaited.save, from: push, of: "push", names)
            return .there
        } isLate: { world throws(StrandEnd) in
            try world.missed(what, on: .push, isOptional: awaited.bound.isOptional, names)
        }
    }

    private func duration(_ told: ScenarioStep.Told, _ names: Names) throws(StrandEnd) -> Int {
        guard let duration = told.duration(of: try names.number(told.amount)) else {
            throw .problem("\(names.place): no duration")
        }
        return duration.microseconds
    }

    private func matching(
        _ values: [String: JSONValue], _ names: Names
    ) throws(StrandEnd) -> (JSONValue) -> Bool {
        var conditions: [(JSONPointer, JSONValue)] = []
        for (key, value) in values {
            guard let pointer = JSONPointer(key) else { continue }
            conditions.append((pointer, try names.value(value)))
        }
        return { [conditions] root in
            conditions.allSatisfy { pointer, value in
                value.isNull ? root[pointer] == nil : root[pointer] == value
            }
        }
    }

    /// Waits in vain are part of the history: they say how long the stage watched.
    private func missed(_ what: String, on lane: Lane, isOptional: Bool, _ names: Names) throws(StrandEnd) {
        note(.wait(awaited: what, met: false), on: lane)
        if !isOptional { throw .unmet("\(names.place): no \(what) in time") }
    }

    private func save(
        _ pointers: [String: JSONPointer], from root: JSONValue?, of what: String, _ names: Names
    ) throws(StrandEnd) {
        for (name, pointer) in pointers.sorted(by: { $0.key < $1.key }) {
            guard let value = root?[pointer] else { throw .unmet("\(names.place): \(what) has no \(pointer)") }
            variables[try names.text(name)] = value
        }
    }

    // MARK: REST

    private func post(
        _ question: ScenarioStep.Question, _ credential: ScenarioStep.Credential, _ pointers: [String: JSONPointer],
        _ names: Names
    ) throws(StrandEnd) -> Strand.Wait {
        let body = try lengthened(.object(try body(of: question, names)), to: question.bytes, names)
        scriptWait += question.waitMs
        let wait = try ask("POST", "/api/chat", credential, body.text(), within: ["turn", "rest"], names) {
            world, answer throws(StrandEnd) in
            try world.save(pointers, from: answer, of: "response", names)
            return true
        }
        if let name = question.name { posts[try names.text(name)] = lastExchange }
        return wait
    }

    /// Ends the connection of a question that is sent; one that has its response is left alone.
    private func leave(_ name: String, _ how: Cut, _ names: Names) throws(StrandEnd) -> Strand.Wait {
        let question = try names.text(name)
        return Strand.Wait(deadline: now + limit("rest")) { world in
            guard let number = world.posts[question], let exchange = world.exchanges[number] else { return .notYet }
            guard exchange.answer == nil else { return .there }
            world.note(act: "cut", ["how": .string(how.rawValue)], on: .exchange(number))
            world.exchanges[number]?.answer = .left
            world.at(max(exchange.upAt, world.now + world.delay())) { world in
                if world.life == exchange.life { world.tell(.left(request: number)) }
            }
            return .there
        } isLate: { _ throws(StrandEnd) in
            throw .unmet("\(names.place): the question '\(name)' was not sent over REST")
        }
    }

    private func read(
        _ read: ScenarioStep.ReadUntil, _ names: Names, deadline: Int, pause: Int
    ) throws(StrandEnd) -> Strand.Wait {
        let path = "/api/sessions/\(try names.text(read.session))"
        var next: Strand.Wait?
        var at = 0
        func again() throws(StrandEnd) {
            let isLast = now >= deadline
            next = try ask(
                "GET", path, ScenarioStep.Credential(principal: read.principal), nil, within: ["rest"], names
            ) {
                world, answer throws(StrandEnd) in
                if let answer, read.isMet(by: answer) {
                    try world.save(read.save, from: answer, of: "response", names)
                    return true
                }
                if isLast {
                    try world.missed(
                        "session with \(read.messages) messages", on: .exchange(world.lastExchange),
                        isOptional: read.bound.isOptional, names)
                    return true
                }
                at = world.now + pause
                world.at(at) { _ in }
                return false
            }
        }
        try again()
        return Strand.Wait { world throws(StrandEnd) in
            if at > 0 {
                guard world.now >= at else { return .notYet }
                at = 0
                try again()
            }
            guard let asked = next else { return .there }
            if let deadline = asked.deadline, world.now >= deadline { try asked.isLate(world) }
            return try asked.look(world)
        }
    }

    /// Sends a request; what is made of the answer says whether that was all.
    private func ask(
        _ method: String, _ path: String, _ credential: ScenarioStep.Credential, _ body: String?,
        within bounds: [String],
        _ names: Names, then take: @escaping (World, JSONValue?) throws(StrandEnd) -> Bool
    ) throws(StrandEnd) -> Strand.Wait {
        lastExchange += 1
        let number = lastExchange
        let life = life
        let token = try token(credential, names)
        let lane = Lane.exchange(number)
        exchanges[number] = Exchange(life: life)
        note(
            .request(Event.Request(method: method, path: path, principal: credential.shown, body: body)), on: lane)
        let parts = path.split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
        if server == nil {
            note(.failed(reason: "connectionRefused"), on: lane)
            exchanges[number]?.answer = .lost
        } else {
            let upAt = now + delay()
            exchanges[number]?.upAt = upAt
            at(upAt) { world in
                guard world.life == life, world.server != nil else { return }
                world.tell(
                    .asked(
                        request: number, method: method, path: parts[0], query: parts.count > 1 ? parts[1] : nil,
                        token: token, body: body ?? ""))
            }
        }
        var isTaken = false
        return Strand.Wait(deadline: now + limit(bounds)) { world throws(StrandEnd) in
            guard !isTaken, let answer = world.exchanges[number]?.answer else { return .notYet }
            isTaken = true
            switch answer {
            case .body(let body): return try take(world, body) ? .there : .notYet
            case .lost:
                // Who was ended on purpose answers nothing, and the scenario goes on.
                guard world.server == nil || world.life > life else { throw .unmet("\(names.place): no response") }
                return try take(world, nil) ? .there : .notYet
            case .left: return try take(world, nil) ? .there : .notYet
            }
        } isLate: { world throws(StrandEnd) in
            world.note(.failed(reason: "late"), on: lane)
            world.exchanges[number]?.answer = .lost
            throw .unmet("\(names.place): no response, late")
        }
    }

    // MARK: the process

    private func process(_ step: ScenarioStep.ProcessStep, _ names: Names) throws(StrandEnd) -> Strand.Wait? {
        switch step {
        case .kill(let pause):
            let unit = pause?.unit == .milliseconds ? 1000 : 1
            let time = try pause.map { pause throws(StrandEnd) in try names.number(pause.number) } ?? 0
            var isKilled = false
            var failed = false
            after(time * unit) { world in
                isKilled = true
                failed = world.server == nil
                guard !failed else { return }
                world.note(act: "kill")
                world.endByKill()
            }
            return Strand.Wait { world throws(StrandEnd) in
                if failed { throw .unmet("\(names.place): the server had ended by itself") }
                return isKilled && world.hasSettled ? .there : .notYet
            }
        case .killOn, .awaitKill: throw .unsuitable("\(names.place): kills on bytes")
        case .stop:
            guard server != nil else { throw .unmet("\(names.place): the server had ended by itself") }
            note(act: "stop")
            var isDone = false
            stop { _ in isDone = true }
            return Strand.Wait { world in isDone && world.hasSettled ? .there : .notYet }
        case .start:
            guard server == nil else { return nil }
            startServer()
            let ready = now + 60_000
            return Strand.Wait(deadline: ready) { _ in
                .notYet
            } isLate: { world throws(StrandEnd) in
                world.note(act: "start")
            }
        case .refuseWrites:
            refusesWrites = true
            note(act: "refuseWrites")
        case .acceptWrites:
            note(act: "acceptWrites")
            refusesWrites = false
        }
        return nil
    }

    /// Whether everything that was open to a process that has ended is known to be over.
    private var hasSettled: Bool {
        !links.values.contains { $0.life == life && !$0.isCut && !$0.hasEnded && !$0.isPaused }
    }
}

/// What references stand for at a step.
struct Names {
    let variables: ScenarioVariables
    let place: String

    init(_ variables: ScenarioVariables, place: String) { (self.variables, self.place) = (variables, place) }

    func text(_ template: String) throws(StrandEnd) -> String {
        do { return try variables.text(template) } catch { throw .problem("\(place): \(error)") }
    }

    func value(_ template: JSONValue) throws(StrandEnd) -> JSONValue {
        do { return try variables.value(template) } catch { throw .problem("\(place): \(error)") }
    }

    func number(_ template: JSONValue) throws(StrandEnd) -> Int {
        guard let number = try value(template).intValue else { throw .problem("\(place): no number") }
        return number
    }
}
