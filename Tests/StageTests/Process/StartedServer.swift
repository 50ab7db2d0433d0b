import Foundation
import HoldfastPlatform

@testable import HoldfastStage

/// Servers of a few lines for tests of what happens to a process; each says on a connection what it was asked to.
enum StartedServer {
    /// Listens on the port it is told, and answers each connection with what `answer` gives.
    private static let listening = """
        import os, signal, socket, sys, threading, time
        def listen(port):
            s = socket.socket()
            s.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            s.bind(('127.0.0.1', port))
            s.listen(64)
            return s
        data = os.environ['HOLDFAST_DATA']
        def write(name, text):
            with open(os.path.join(data, name), 'a') as f:
                f.write(text)
        def exit_on_sigterm(code):
            # A handler runs only between two instructions of the main thread, which may wait in accept() by then.
            signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGTERM])
            def wait():
                signal.sigwait([signal.SIGTERM])
                os._exit(code)
            threading.Thread(target=wait, daemon=True).start()
        def serve(answer=lambda: ''):
            s = listen(int(sys.argv[1]))
            while True:
                c, _ = s.accept()
                c.sendall(answer().encode())
                c.close()

        """

    /// A command that runs a script in Python; `body` decides what kind of server it is.
    static func command(_ body: String = "serve()", url: String = StartCommand.defaultURL) -> StartCommand {
        StartCommand(["python3", "-c", listening + body, "{port}"], url: url)
    }

    /// Long enough for two busy cores; no test waits for it to pass.
    static let patience = Duration.seconds(60)

    /// Starts a server, runs the body, and ends the server.
    static func with<Result>(
        _ command: StartCommand, _ body: (SubjectInstance) async throws -> Result
    ) async throws -> Result {
        let instance = try await SubjectInstance.start(command, within: patience)
        do {
            let result = try await body(instance)
            await instance.end()
            return result
        } catch {
            await instance.end()
            throw error
        }
    }

    /// Whether a process is there and not yet over.
    static func isAlive(_ process: Int32) -> Bool {
        guard let status = ProcessTable.status(of: process) else { return false }
        return status.state != "Z" && status.state != "X"
    }
}

extension SubjectInstance {
    /// A file below its folder for data.
    func data(_ name: String) -> String? {
        try? String(contentsOfFile: folder.path + "/" + name, encoding: .utf8)
    }
}
