import HoldfastSmallFoundation

/// The driver's side of the conversation with the suite, over any transport: a line in, a line out.
///
/// `drive(_:)` and `drive(_:connectingTo:)` carry the lines over standard input and output, or over a WebSocket. If
/// your app has its own WebSocket or a debug bridge, carry them yourself: each incoming text message is a line, and the
/// answer is one text message. Wait for an answer before you pass in the next line.
///
/// ```swift
/// let session = DriverSession(MyDriver())
/// for try await text in socket.messages { try await socket.send(await session.answer(to: text)) }
/// ```
public struct DriverSession: Sendable {
    /// The version of the driver protocol.
    public static let version = 1

    private let client: any DrivenClient
    private let dataFolder: URL?

    /// Creates the driver's side for an app.
    /// - Parameters:
    ///   - client: The app.
    ///   - dataFolder: The folder for its storage; nil for the one in the environment variable `HOLDFAST_DATA`.
    public init(_ client: any DrivenClient, dataFolder: URL? = nil) {
        self.client = client
        self.dataFolder =
            dataFolder
            ?? ProcessInfo.processInfo.environment["HOLDFAST_DATA"].map { URL(fileURLWithPath: $0, isDirectory: true) }
    }

    /// Carries out the command in a line, and returns the outcome.
    /// - Parameter line: One JSON object, with or without an end of line.
    /// - Returns: One JSON object as one line, without a line terminator, even if `line` is not a command.
    public func answer(to line: String) async -> String { await exchange(line).answer }

    enum Ending {
        case quit, crash
    }

    /// The answer to a line, and the way in which the app ended, if it did.
    func exchange(_ line: String) async -> (answer: String, ending: Ending?) {
        do throws(DriverCommand.Problem) {
            let command = try DriverCommand(line)
            let reply = await reply(to: command)
            let line = reply.line(id: command.id)
            guard case .done = reply else { return (line, nil) }
            return (line, ["quit": .quit, "crash": .crash][command.name])
        } catch {
            return (DriverReply.failed(error.reason).line(id: error.id), nil)
        }
    }

    private func reply(to command: DriverCommand) async -> DriverReply {
        do {
            switch command.name {
            case "hello":
                let version: Int = try command.member("driver", "an integer")
                guard version == Self.version else {
                    return .failed(
                        "the suite speaks version \(version) of the driver protocol, the driver \(Self.version)")
                }
                return .about(await client.about)
            case "launch": try await client.launch(try command.launch(dataFolder: dataFolder))
            case "send": try await client.send(try command.text("text"))
            case "sendAgain": try await client.sendAgain(try command.text("clientMessageId"))
            case "background": try await client.background()
            case "foreground": try await client.foreground()
            case "networkDown": try await client.networkDown()
            case "networkUp": try await client.networkUp()
            case "receivePush": try await client.receivePush(try command.payload())
            case "openPush": try await client.openPush(try command.payload())
            case "selectSession": try await client.selectSession(command.session)
            case "state": break
            case "quit":
                try await client.quit()
                return .done(nil)
            case "crash":
                try await client.crash()
                return .done(nil)
            default: throw Unsupported("the driver does not support \(command.name)")
            }
            return .done(try await client.state())
        } catch let error as Unsupported {
            return .unsupported(error.description)
        } catch let problem as DriverCommand.Problem {
            return .failed(problem.reason)
        } catch {
            return .failed("\(error)")
        }
    }
}
