import Foundation

/// The conversation with the suite, without the road it takes: a line in, a line out.
///
/// `drive(_:)` and `drive(_:connectingTo:)` carry the lines over standard input and output and over a WebSocket. Where your
/// app has a WebSocket of its own, or a debug bridge, carry them yourself: each text message that arrives is a line, and the
/// answer goes back as one text message. Wait for an answer before you hand in the next line.
///
/// ```swift
/// let session = DriverSession(MyDriver())
/// for try await text in socket.messages { try await socket.send(await session.answer(to: text)) }
/// ```
public struct DriverSession: Sendable {
    /// The version of the driver protocol spoken here.
    public static let version = 1

    private let client: any DrivenClient
    private let dataFolder: URL?

    /// A conversation about an app.
    /// - Parameters:
    ///   - client: The app.
    ///   - dataFolder: Where it may store; what `HOLDFAST_DATA` in the environment says when nil.
    public init(_ client: any DrivenClient, dataFolder: URL? = nil) {
        self.client = client
        self.dataFolder =
            dataFolder
            ?? ProcessInfo.processInfo.environment["HOLDFAST_DATA"].map { URL(fileURLWithPath: $0, isDirectory: true) }
    }

    /// Carries out the command in a line, and says what came of it.
    /// - Parameter line: One JSON object; an end of line behind it does no harm.
    /// - Returns: One JSON object in one line, without its end. Also for a line that is no command.
    public func answer(to line: String) async -> String {
        await exchange(line).answer
    }

    /// The answer to a line, and whether the app has ended by it.
    func exchange(_ line: String) async -> (answer: String, hasQuit: Bool) {
        do throws(DriverCommand.Problem) {
            let (id, command) = try DriverCommand.read(line, dataFolder: dataFolder)
            let reply = await reply(to: command)
            var hasQuit = false
            if command == .quit, case .done = reply { hasQuit = true }
            return (reply.line(id: id), hasQuit)
        } catch {
            return (DriverReply.failed(error.reason).line(id: error.id), false)
        }
    }

    private func reply(to command: DriverCommand) async -> DriverReply {
        do {
            switch command {
            case .hello(let version):
                guard version == Self.version else {
                    return .failed(
                        "the suite speaks version \(version) of the driver protocol, the driver \(Self.version)")
                }
                return .about(await client.about)
            case .launch(let launch): try await client.launch(launch)
            case .send(let text): try await client.send(text)
            case .background: try await client.background()
            case .foreground: try await client.foreground()
            case .networkDown: try await client.networkDown()
            case .networkUp: try await client.networkUp()
            case .receivePush(let payload): try await client.receivePush(payload)
            case .openPush(let payload): try await client.openPush(payload)
            case .selectSession(let sessionId): try await client.selectSession(sessionId)
            case .state: break
            case .quit:
                try await client.quit()
                return .done(nil)
            }
            return .done(try await client.state())
        } catch let error as Unsupported {
            return .unsupported(error.description)
        } catch {
            return .failed("\(error)")
        }
    }
}
