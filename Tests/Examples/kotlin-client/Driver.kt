// The driver kit: copy this file and Json.kt, implement DrivenClient with your app, and carry the lines: from standard input
// as Main.kt does, or on a phone over the WebSocket that the app has already (`socket.send(driver.obey(text))`). It needs
// nothing but Kotlin's own library, so the same class runs on a JVM and on Android.

/** What an app or its driver cannot do: what only that could decide is untested, for this reason. */
class Unsupported(reason: String) : Exception(reason)

/** How the app is started: [fresh] as after its installation, [opened] by the tap on a notification. */
class Launch(
    val url: String, val http: String, val token: String?, val timeScale: Double, val fresh: Boolean, val opened: Json?
)

class ShownMessage(val id: String?, val clientMessageId: String?, val role: String, val text: String, val status: String)

class ShownError(val text: String, val code: String? = null, val clientMessageId: String? = null)

/** What a person sees at this moment. */
class State(
    /** `connecting`, `connected`, `degraded` or `offline`. */
    val connection: String,
    val sessionId: String?,
    val thinking: Boolean,
    val messages: List<ShownMessage>,
    val errors: List<ShownError>,
    /** By session. */
    val unread: Map<String, Int>
) {
    fun json(): Json = mapOf(
        "connection" to connection, "sessionId" to sessionId, "thinking" to thinking,
        "messages" to messages.map {
            val names = arrayOf("id" to it.id, "clientMessageId" to it.clientMessageId)
            present(*names, "role" to it.role, "text" to it.text, "status" to it.status)
        },
        "errors" to errors.map { present("text" to it.text, "code" to it.code, "clientMessageId" to it.clientMessageId) },
        "unread" to unread
    )
}

/**
 * Your app. Each function calls what the screen or the system would call, and returns when the app has taken it, as it takes
 * a tap: none waits for a server. Leave out what your app cannot do, or throw [Unsupported] with the reason.
 */
interface DrivenClient {
    val name: String
    val version: String
    /** Of `client-core`, `client-sync` and `client-push`. */
    val profiles: List<String>

    fun launch(launch: Launch)
    /** From the model that the screen is drawn from. */
    fun state(): State
    fun send(text: String) { throw Unsupported("the driver does not support send") }
    fun sendAgain(clientMessageId: String) { throw Unsupported("the driver does not support sendAgain") }
    fun background() { throw Unsupported("the driver does not support background") }
    fun foreground() { throw Unsupported("the driver does not support foreground") }
    fun networkDown() { throw Unsupported("the driver does not support networkDown") }
    fun networkUp() { throw Unsupported("the driver does not support networkUp") }
    fun receivePush(payload: Json) { throw Unsupported("the app has no notifications") }
    fun openPush(payload: Json) { throw Unsupported("the app has no notifications") }
    fun selectSession(sessionId: String?) { throw Unsupported("the driver does not support selectSession") }
    /** The system ends the app: what is stored stays. */
    fun quit() { throw Unsupported("the driver does not support quit") }
    /** The app is gone at once and stores nothing more; where it runs in the driver's own program, that may end too, once its reply is out. */
    fun crash() { throw Unsupported("the driver does not support crash") }
}

/** Carries out the suite's commands. */
class Driver(private val client: DrivenClient) {
    /** Carries out the command in a line, and gives the line that answers it. */
    fun obey(line: String): String {
        var id: Any? = 0L
        val reply = try {
            val command = parseJson(line)
            id = command["id"]
            act(command)
        } catch (problem: Unsupported) {
            mapOf("unsupported" to problem.message)
        } catch (problem: Exception) {
            mapOf("error" to problem.toString())
        }
        return writeJson(mapOf("id" to id) + reply)
    }

    private fun act(command: Json): Json {
        when (val verb = command.text("do")) {
            "hello" -> {
                val about = mapOf("name" to client.name, "version" to client.version, "profiles" to client.profiles)
                return mapOf("ok" to true) + about
            }
            "launch" -> client.launch(Launch(
                command.need("url"), command.need("http"), command.text("token"), command.number("timeScale") ?: 1.0,
                command["fresh"] == true, command.member("opened")))
            "send" -> client.send(command.need("text"))
            "sendAgain" -> client.sendAgain(command.need("clientMessageId"))
            "background" -> client.background()
            "foreground" -> client.foreground()
            "networkDown" -> client.networkDown()
            "networkUp" -> client.networkUp()
            "receivePush" -> client.receivePush(command.member("payload") ?: emptyMap())
            "openPush" -> client.openPush(command.member("payload") ?: emptyMap())
            "selectSession" -> client.selectSession(command.text("sessionId"))
            "quit" -> {
                client.quit()
                return mapOf("ok" to true)
            }
            "crash" -> {
                client.crash()
                return mapOf("ok" to true)
            }
            "state" -> {}
            else -> throw Unsupported("the driver does not support $verb")
        }
        return mapOf("ok" to true, "state" to client.state().json())
    }
}
