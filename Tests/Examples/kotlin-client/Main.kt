// The app on a JVM, driven over standard input and output, or over a WebSocket:
//
//     java -jar client.jar                                        started by `conformance client -- …`
//     java -jar client.jar --connect ws://192.168.1.7:9000        to a suite that waits with --listen
import java.io.File
import java.io.PrintStream
import java.net.URI
import java.net.http.HttpClient
import java.net.http.WebSocket
import java.nio.file.Files
import java.util.concurrent.CompletableFuture
import java.util.concurrent.CompletionStage

/** What you write: the suite's commands as calls of the app. */
class Example(private val folder: File, private val isSpawned: Boolean) : DrivenClient {
    override val name = "Example client in Kotlin"
    override val version = "1.0"
    override val profiles = listOf("client-core")
    private var app: App? = null
    var hasCrashed = false
        private set

    private fun running() = app ?: throw IllegalStateException("the app does not run")

    override fun launch(launch: Launch) {
        app?.quit() // a scenario may end without a word
        app = App(launch, File(folder, "app.json"))
    }

    override fun quit() {
        running().quit()
        app = null
    }

    override fun crash() {
        if (!isSpawned) super.crash()
        hasCrashed = true
    }

    override fun state() = running().state()
    override fun send(text: String) = running().send(text)
    override fun sendAgain(clientMessageId: String) = running().sendAgain(clientMessageId)
    override fun background() = running().background()
    override fun foreground() = running().foreground()
    override fun networkDown() = running().networkDown()
    override fun networkUp() = running().networkUp()
    override fun selectSession(sessionId: String?) = running().select(sessionId)
}

/** Obeys over a WebSocket until that ends. */
private class Device(private val driver: Driver) : WebSocket.Listener {
    val end = CompletableFuture<Unit>()
    private val text = StringBuilder()

    override fun onText(socket: WebSocket, data: CharSequence, last: Boolean): CompletionStage<*>? {
        text.append(data)
        if (last) {
            socket.sendText(driver.obey(text.toString()), true)
            text.setLength(0)
        }
        socket.request(1)
        return null
    }

    override fun onClose(socket: WebSocket, code: Int, reason: String): CompletionStage<*>? = null.also { end.complete(Unit) }

    override fun onError(socket: WebSocket, problem: Throwable) {
        end.complete(Unit)
    }
}

fun main(arguments: Array<String>) {
    // The JDK repeats a connection attempt that was reset; the app alone decides when it tries again (CLIENT-1).
    System.setProperty("jdk.httpclient.redirects.retrylimit", "1")
    // What the app stores lives as long as the scenario.
    val folder = System.getenv("HOLDFAST_DATA")?.let { File(it) } ?: Files.createTempDirectory("chat-app-").toFile()
    val example = Example(folder, isSpawned = arguments.firstOrNull() != "--connect")
    val driver = Driver(example)
    if (arguments.firstOrNull() == "--connect") {
        val device = Device(driver)
        HttpClient.newHttpClient().newWebSocketBuilder().buildAsync(URI(arguments[1]), device).join()
        device.end.join()
    } else {
        // Standard output is for replies alone.
        val replies = PrintStream(System.out, true, "UTF-8")
        System.setOut(System.err)
        System.`in`.bufferedReader().forEachLine {
            replies.println(driver.obey(it))
            if (example.hasCrashed) Runtime.getRuntime().halt(0) // nothing more is stored, and nobody is told
        }
    }
    System.exit(0)
}
