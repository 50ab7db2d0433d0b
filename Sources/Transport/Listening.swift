import NIOCore
import NIOPosix

/// Binds a TCP port.
enum Listening {
    static func bind(
        host: String,
        port: Int,
        prepare: @escaping @Sendable (any Channel) -> EventLoopFuture<Void>
    ) async throws(TransportProblem) -> any Channel {
        Preparation.run()
        let place = "\(host):\(port)"
        do {
            return try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
                .serverChannelOption(.backlog, value: 512)
                .serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
                .childChannelOption(.socketOption(.tcp_nodelay), value: 1)
                .childChannelOption(.autoRead, value: false)
                .childChannelInitializer(prepare)
                .bind(host: host, port: port)
                .get()
        } catch {
            throw TransportProblem(.cannotListen(reason: "\(error)"), at: place)
        }
    }

    /// Returns when nothing listens any more.
    static func close(_ channel: any Channel) async {
        channel.close(promise: nil)
        _ = try? await channel.closeFuture.get()
    }
}
