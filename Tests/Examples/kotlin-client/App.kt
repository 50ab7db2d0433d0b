// A small chat app without a screen. The server's history is the truth and this is its mirror: whatever brings a message
// ends in `put`, and whatever went wrong is mended by reading the session. It keeps `client-core`, and no more.
// Everything happens on one thread; on Android that would be the main one.
import java.io.File
import java.net.URI
import java.net.URLEncoder
import java.net.http.HttpClient
import java.net.http.HttpRequest
import java.net.http.HttpResponse
import java.net.http.WebSocket
import java.time.Duration
import java.util.UUID
import java.util.concurrent.Callable
import java.util.concurrent.CompletableFuture
import java.util.concurrent.CompletionStage
import java.util.concurrent.ExecutionException
import java.util.concurrent.Executors
import java.util.concurrent.RejectedExecutionException
import java.util.concurrent.TimeUnit

private const val SECONDS = 1000.0
private val ping = mapOf("type" to "ping", "nonce" to "n")

/**
 * The life of a question: waiting → asked → accepted → done, or refused; unanswered when nobody knows more.
 */
enum class Phase { WAITING, ASKED, ACCEPTED, DONE, REFUSED, UNANSWERED }

/** Where the server may not have the message. */
private val PENDING = setOf(Phase.WAITING, Phase.ASKED)

class Message(
    val role: String, val text: String, var id: String? = null, var key: String? = null, var turn: String? = null
) {
    var phase: Phase? = null
    var status = "sent"
    var session: String? = null
    var notBefore = 0L // refused until then
    var asked = 0L // when it was sent first, or first since the person sent it again
    var polled: Long? = null // since when its answer is polled for
    var isLost = false // one of its sends was never answered: the server may have it
    val isAwaited get() = phase == Phase.ASKED || phase == Phase.ACCEPTED
}

class Chat(var id: String?) {
    var messages = mutableListOf<Message>()
    var unread = 0
    var isRead = false
    var isWanted = false
    var isPolled = false
    var isStale = false // nobody has answered its last read
    val awaits get() = messages.any { it.isAwaited }

    /** Whether an answer may still come, also one that was given up. */
    val isOpen get() = awaits || messages.any { it.phase == Phase.UNANSWERED }
}

class App(private val launch: Launch, private val file: File) {
    private val thread = Executors.newSingleThreadScheduledExecutor { work -> Thread(work).apply { isDaemon = true } }
    private val http = HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build()
    private var link: Link? = null
    private var isGreeted = false
    private var heard = 0L
    private var attempts = 0

    /** The wait before the next attempt; an earlier one that is still to end makes none. */
    private var waits = 0
    private var greetedAt = 0L
    private var maxFrameBytes = Double.POSITIVE_INFINITY
    private var isActive = true
    private var hasNetwork = true
    private var isFinal = false
    private var hasFailed = false
    private var restWorks = false
    private var isDegraded = false
    private var errors = listOf<ShownError>()
    private val chats = mutableListOf<Chat>()
    private var screen: Chat

    init {
        val kept = if (launch.fresh) emptyMap() else load()
        kept.list("chats").mapTo(chats) { restored(it) }
        screen = chats.getOrNull(kept.number("screen")?.toInt() ?: 0) ?: chat(null)
        onThread {
            loseAsked()
            connect()
        }
    }

    // What the person and the system do.

    fun send(text: String) = onThread {
        screen.messages.add(question(text))
        flush()
    }

    fun sendAgain(key: String) = onThread {
        val (chat, message) = questions().firstOrNull { it.second.key == key } ?: return@onThread
        if (message.status != "failed") return@onThread
        // What may have arrived keeps its key; what is over takes a new one, or its old ending would come.
        if (message.phase == Phase.REFUSED) {
            chat.messages.remove(message)
            chat.messages.add(question(message.text))
        } else {
            message.phase = Phase.WAITING
            message.status = "sending"
            message.isLost = true
            message.asked = 0
            message.polled = null
        }
        flush()
    }

    fun select(id: String?) = onThread {
        screen = chat(id)
        screen.unread = 0
        read(screen)
    }

    fun background() = onThread {
        isActive = false
        leave()
    }

    fun foreground() = onThread {
        if (isActive) return@onThread // the first look after launch is no return
        isActive = true
        if (hasNetwork) connect()
    }

    fun networkDown() = onThread {
        hasNetwork = false
        leave()
    }

    fun networkUp() = onThread {
        hasNetwork = true
        if (mayConnect) connect()
    }

    fun quit() {
        onThread {
            save()
            isActive = false
            leave()
        }
        thread.shutdownNow()
    }

    fun state(): State = onThread {
        val connection = when {
            !hasNetwork || isFinal -> "offline"
            isGreeted -> "connected"
            hasFailed && restWorks -> "degraded"
            else -> "connecting"
        }
        val unread = mutableMapOf<String, Int>()
        for (chat in chats) chat.id?.let { if (chat.unread > 0) unread[it] = chat.unread }
        val shown = screen.messages.filter { it.role != "system" }.map { ShownMessage(it.id, it.key, it.role, it.text, it.status) }
        State(connection, screen.id, screen.awaits, shown, errors, unread)
    }

    // The connection.

    private val mayConnect get() = isActive && hasNetwork && !isFinal

    /** One WebSocket, which tells the app what comes as long as it is the one in use. */
    private inner class Link : WebSocket.Listener {
        private val text = StringBuilder()
        private val socket: CompletableFuture<WebSocket>
        private var sent: CompletableFuture<*>

        init {
            socket = http.newWebSocketBuilder().buildAsync(URI(launch.url), this)
            sent = socket
            send(present("type" to "auth", "protocol" to 1.0, "clientId" to "kotlin", "token" to launch.token))
        }

        /** One after the other: a second send while one is under way would be refused. */
        fun send(frame: Json) {
            sent = sent.thenCompose { socket.join().sendText(writeJson(frame), true) }
            sent.whenComplete { _, problem -> if (problem != null) ifMine { closed(0) } }
        }

        fun abort() {
            socket.thenAccept { it.abort() }
        }

        private fun ifMine(action: () -> Unit) = post { if (link === this) action() }

        override fun onText(socket: WebSocket, data: CharSequence, last: Boolean): CompletionStage<*>? {
            text.append(data)
            if (last) {
                val frame = try { parseJson(text.toString()) } catch (problem: IllegalArgumentException) { null }
                text.setLength(0)
                ifMine {
                    heard = System.currentTimeMillis()
                    if (frame != null) take(frame)
                }
            }
            socket.request(1)
            return null
        }

        override fun onClose(socket: WebSocket, code: Int, reason: String): CompletionStage<*>? {
            ifMine { closed(code) }
            return null
        }

        override fun onError(socket: WebSocket, problem: Throwable) = ifMine { closed(0) }
    }

    private fun connect() {
        waits += 1
        leave()
        heard = System.currentTimeMillis()
        val new = Link()
        link = new
        later(Math.max(10 * SECONDS, SECONDS * launch.timeScale)) { if (link === new && !isGreeted) closed(0) }
        watch(new)
    }

    /** Asks now and then whether the connection is there: the JDK does not always tell of an end without a close frame. */
    private fun watch(watched: Link) {
        later(10 * SECONDS) {
            if (link !== watched) return@later
            if (isGreeted && silent(40 * SECONDS)) return@later connect()
            if (isGreeted) watched.send(ping)
            watch(watched)
        }
    }

    /** Leaves the connection there is, whatever it believes; what went out on it without a word has to go again. */
    private fun leave() {
        link?.abort()
        link = null
        isGreeted = false
        loseAsked()
        for (chat in chats) if (chat.awaits) poll(chat)
    }

    /** What went out without a word goes again. */
    private fun loseAsked() {
        for ((_, message) in questions()) {
            if (message.phase != Phase.ASKED) continue
            message.phase = Phase.WAITING
            message.isLost = true
        }
    }

    private fun closed(code: Int) {
        hasFailed = hasFailed || !isGreeted
        // A connection that lasted starts the count anew; what one brought does not, or a failing server would be hammered.
        if (isGreeted && System.currentTimeMillis() - greetedAt > 10 * SECONDS / launch.timeScale) attempts = 0
        leave()
        if (code == 4001 || code == 4010) {
            isFinal = true
            show(if (code == 4001) "Please sign in again." else "Please update this app.")
            for ((_, message) in questions()) if (message.phase == Phase.ACCEPTED) fail(message, Phase.UNANSWERED)
            return
        }
        val wait = Math.min(20.0, Math.pow(2.0, attempts++.toDouble())) * (0.5 + Math.random() / 2)
        val mine = ++waits
        later(wait * SECONDS) { if (mine == waits && mayConnect && link == null) connect() }
        degrade()
    }

    /** While only REST works, what is on the screen and what is awaited is read now and then. */
    private fun degrade() {
        if (isGreeted || !mayConnect || isDegraded) return
        isDegraded = true
        for (chat in chats) if (chat.awaits) poll(chat) else if (chat === screen) read(chat)
        later(25 * SECONDS) {
            isDegraded = false
            degrade()
        }
    }

    private fun take(frame: Json) {
        val type = frame.text("type")
        if (type == "connected") return greeted(frame)
        val found = named(frame)
        if (type == "error") return refused(frame, found)
        val session = frame.text("sessionId")
        if (session == null || type != "ack" && type != "done" && type != "message") return
        val chat = found?.let { adopt(it.first, session) } ?: chat(session)
        val turn = frame.text("turnId")
        if (found != null) {
            if (found.second.phase in PENDING) place(found.second, chat)
            accept(found.second, turn)
        }
        val role = if (type == "done") "assistant" else frame.text("role")
        if (type == "done" || type == "message" && !(role == "user" && found != null)) {
            val key = if (role == "user") frame.text("clientMessageId") else null
            val isNew = put(chat, Message(role ?: "", frame.text("text") ?: "", frame.text("messageId"), key, turn)).second
            if (isNew && role == "assistant" && chat !== screen) chat.unread += 1
            if (type == "done" && found != null) end(found.second)
        }
        flush()
    }

    private fun greeted(frame: Json) {
        isGreeted = true
        isFinal = false
        greetedAt = System.currentTimeMillis()
        hasFailed = false
        restWorks = false
        (frame["limits"] as? Json)?.number("maxFrameBytes")?.let { maxFrameBytes = it.toDouble() }
        for (chat in chats.toList()) if (chat === screen || chat.isOpen) read(chat)
        flush()
    }

    // Questions.

    private fun question(text: String) = Message("user", text, key = UUID.randomUUID().toString()).apply {
        phase = Phase.WAITING
        status = "sending"
    }

    private fun questions() = chats.flatMap { chat -> chat.messages.filter { it.phase != null }.map { chat to it } }

    private fun named(frame: Json): Pair<Chat, Message>? {
        val (key, turn) = frame.text("clientMessageId") to frame.text("turnId")
        return questions().firstOrNull { (_, one) -> key != null && one.key == key || turn != null && one.turn == turn }
    }

    private fun flush() {
        for (chat in chats.toList()) {
            for (message in chat.messages.toList()) {
                if (message.notBefore > System.currentTimeMillis()) continue // refused for now, and in nobody's way
                if (message.phase == Phase.WAITING && isGreeted) ask(chat, message)
                // A second question now would begin a second session.
                val isOpen = message.phase in listOf(Phase.WAITING, Phase.ASKED)
                if (message.phase == Phase.WAITING || chat.id == null && isOpen) break
            }
        }
    }

    private fun ask(chat: Chat, message: Message) {
        message.session = message.session ?: chat.id
        val asked = link
        val messages = listOf(mapOf("role" to "user", "content" to message.text))
        val names = arrayOf("clientMessageId" to message.key, "sessionId" to message.session)
        val frame = present("type" to "chat", "messages" to messages, *names)
        // What the server would refuse, or close the connection on, is not sent.
        if (writeJson(frame).toByteArray().size > maxFrameBytes) {
            fail(message, if (message.isLost) Phase.UNANSWERED else Phase.REFUSED)
            return show("This message is too long.", "too_large", message.key)
        }
        // A day after its first send, the server may have forgotten its key.
        if (message.asked == 0L) message.asked = System.currentTimeMillis()
        if (System.currentTimeMillis() - message.asked > 86_400 * SECONDS / launch.timeScale) {
            fail(message, Phase.UNANSWERED)
            return show("It is not known whether this was sent.", null, message.key)
        }
        message.phase = Phase.ASKED
        message.notBefore = 0
        save() // before it goes out
        asked?.send(frame)
        later(15 * SECONDS) { if (message.phase == Phase.ASKED && link === asked) connect() }
    }

    private fun silent(milliseconds: Double) = System.currentTimeMillis() - heard > milliseconds / launch.timeScale

    private fun accept(message: Message, turn: String?) {
        // That it arrived is no news where it was given up for want of an answer.
        if (message.phase in listOf(Phase.DONE, Phase.REFUSED, Phase.UNANSWERED)) return
        message.phase = Phase.ACCEPTED
        message.status = "sent"
        message.turn = turn ?: message.turn
    }

    private fun end(message: Message) {
        message.phase = Phase.DONE
        message.status = "sent"
    }

    private fun fail(message: Message, phase: Phase) {
        message.phase = phase
        message.status = "failed"
    }

    private fun refused(frame: Json, found: Pair<Chat, Message>?) {
        val code = frame.text("code")
        if (code == "unknown_type") return
        val message = found?.second
        if (message != null && message.phase != Phase.DONE) {
            if (code == "busy" || code == "rate_limited") {
                // What the server tells is never divided.
                val wait = if (code == "busy") 4 * SECONDS / launch.timeScale else (frame.number("retryAfterMs") ?: 60 * SECONDS) + 100
                message.phase = Phase.WAITING
                message.notBefore = System.currentTimeMillis() + wait.toLong()
                later((wait + 20) * launch.timeScale) { flush() }
            } else {
                // The refusal of a resend says nothing of the send before it: the key stays.
                val keepsKey = message.isLost && "turnId" !in frame && code != "idempotency_mismatch"
                fail(message, if (keepsKey) Phase.UNANSWERED else Phase.REFUSED)
            }
        }
        show(frame.text("error"), code, message?.key)
        flush()
    }

    private fun show(text: String?, code: String? = null, key: String? = null) {
        errors = errors.takeLast(19) + ShownError(text ?: "Something went wrong.", code, key)
    }

    // Messages.

    private fun chat(id: String?): Chat =
        chats.firstOrNull { it.id == id && (id != null || it.messages.isEmpty()) } ?: Chat(id).also { chats.add(it) }

    /** The session of a question is known now. */
    private fun adopt(chat: Chat, id: String): Chat {
        if (chat.id == id) return chat
        if (chat.id != null) return chat(id)
        val other = chats.firstOrNull { it.id == id }
        if (other != null) {
            chat.messages.addAll(0, other.messages)
            chats.remove(other)
            if (screen === other) screen = chat
        }
        chat.id = id
        return chat
    }

    /** Takes up one message, whatever brought it: what is shown for it, and whether that is new. */
    private fun put(chat: Chat, news: Message): Pair<Message, Boolean> {
        val known = chat.messages.firstOrNull { one ->
            one.role == news.role && (news.id != null && one.id == news.id || news.key != null && one.key == news.key)
        }
        if (known != null) {
            known.id = known.id ?: news.id
            known.turn = known.turn ?: news.turn
            return known to false
        }
        place(news, chat)
        return news to true
    }

    /** Puts a message that the server has behind the others, and before those that it does not have yet. */
    private fun place(message: Message, chat: Chat) {
        chat.messages.removeIf { it === message }
        chat.messages.add(chat.messages.indexOfLast { it.phase !in PENDING } + 1, message)
    }

    // Reading.

    private fun request(path: String, then: (status: Int, body: Json) -> Unit) {
        val limit = Duration.ofMillis(Math.max(20 * SECONDS / launch.timeScale, 2 * SECONDS).toLong())
        val request = HttpRequest.newBuilder(URI(launch.http + path)).timeout(limit)
        launch.token?.let { request.header("Authorization", "Bearer $it") }
        http.sendAsync(request.build(), HttpResponse.BodyHandlers.ofString()).whenComplete { response, _ ->
            val body = try { response?.let { parseJson(it.body()) } } catch (problem: IllegalArgumentException) { null }
            post {
                restWorks = response != null
                then(response?.statusCode() ?: 0, body ?: emptyMap())
            }
        }
    }

    private fun path(session: String) = "/api/sessions/" + URLEncoder.encode(session, "UTF-8").replace("+", "%20")

    /** One read of a session at a time, and another one after it for those who asked meanwhile. */
    private fun read(chat: Chat) {
        if (chat.isRead) {
            chat.isWanted = true
            return
        }
        chat.isRead = true
        fetch(chat)
    }

    private fun fetch(chat: Chat) {
        val id = chat.id ?: return wasRead(chat, true)
        request(path(id)) { status, body ->
            val session = if (status == 200) body.member("session") else null // none in a body that was cut off
            session?.let { merge(chat, it) }
            // A gateway's 404 says nothing of the session.
            val isMissing = status == 404 && body.member("error") != null
            if (isMissing) {
                for (message in chat.messages.filter { it.phase == Phase.ACCEPTED }) fail(message, Phase.REFUSED)
            }
            wasRead(chat, session != null || isMissing)
        }
    }

    private fun wasRead(chat: Chat, isAnswered: Boolean) {
        val isWanted = chat.isWanted
        chat.isWanted = false
        chat.isRead = false
        chat.isStale = !isAnswered
        if (isWanted) read(chat)
        else if (chat.awaits) poll(chat)
        else if (!isAnswered && isGreeted) later(5 * SECONDS) { read(chat) }
    }

    /** Reads until the answers are there; after a minute without one the person is told, connected or not. */
    private fun poll(chat: Chat) {
        for (message in chat.messages) {
            message.polled = if (message.isAwaited) message.polled ?: System.currentTimeMillis() else null
        }
        if (chat.isPolled) return
        chat.isPolled = true
        later(8 * SECONDS) {
            chat.isPolled = false
            for (message in chat.messages) {
                val since = message.polled ?: continue
                val isInTime = System.currentTimeMillis() - since < 50 * SECONDS / launch.timeScale
                if (isInTime || message.phase != Phase.ACCEPTED) continue
                fail(message, Phase.UNANSWERED)
                show("There is no answer yet.", null, message.key)
            }
            if (chat.awaits || chat.isStale) if (mayConnect) read(chat) else poll(chat)
        }
    }

    /** Takes up a history: its order holds, and nothing that is shown goes. */
    private fun merge(chat: Chat, session: Json) {
        val before = chat.messages.toList()
        val order = mutableMapOf<Message, Int>()
        for ((index, entry) in session.list("messages").withIndex()) {
            val (id, key) = entry.text("id") to entry.text("clientMessageId")
            val news = Message(entry.text("role") ?: "", words(entry["content"]), id, key, entry.text("turnId"))
            val shown = put(chat, news).first
            shown.id = id
            order[shown] = index
            if (shown.phase != null) accept(shown, entry.text("turnId"))
        }
        // What the history lacks stays before what followed it; a question that the server may not know comes last.
        val places = order.toMutableMap()
        val stored = before.filter { it in order || it.phase in listOf(null, Phase.ACCEPTED, Phase.DONE) }
        stored.asReversed().fold(order.size) { place, one -> places.getOrPut(one) { place } }
        // The sort keeps the order of those that have the same place.
        chat.messages.sortBy { places[it] ?: order.size }
        val ends = session.list("turns").map { it.text("turnId") to it.text("status") }.toMap()
        for (message in chat.messages) {
            if (message.phase in listOf(null, Phase.DONE, Phase.REFUSED) || message !in order) continue
            if (ends[message.turn] == "failed") {
                fail(message, Phase.REFUSED)
                show("The agent did not answer.", "agent_failed", message.key)
            } else if (ends[message.turn] == "done") end(message)
        }
        flush()
    }

    /** The text of a content that may come in parts. */
    private fun words(content: Any?): String =
        content as? String ?: (content as? List<*>).orEmpty().mapNotNull { it as? Map<*, *> }
            .filter { it["type"] == "text" }.joinToString("") { it["text"].toString() }

    // Time, the thread and storage.

    private fun <T> onThread(action: () -> T): T = try {
        thread.submit(Callable { action().also { save() } }).get()
    } catch (problem: ExecutionException) {
        throw problem.cause ?: problem
    }

    private fun post(action: () -> Unit) {
        try {
            thread.execute { action(); save() }
        } catch (problem: RejectedExecutionException) {
            return // the app has ended
        }
    }

    /** A timer of the app's own, shortened by the scale of a test. */
    private fun later(milliseconds: Double, action: () -> Unit) {
        try {
            thread.schedule({ action(); save() }, (milliseconds / launch.timeScale).toLong(), TimeUnit.MILLISECONDS)
        } catch (problem: RejectedExecutionException) {
            return // the app has ended
        }
    }

    private fun save() {
        val kept = chats.map { chat ->
            present("id" to chat.id, "unread" to chat.unread.toDouble(), "messages" to chat.messages.map {
                present(
                    "role" to it.role, "text" to it.text, "id" to it.id, "key" to it.key, "turn" to it.turn,
                    "phase" to it.phase?.name, "status" to it.status, "session" to it.session,
                    "isLost" to it.isLost, "asked" to it.asked.toDouble(),
                    "notBefore" to it.notBefore.toDouble())
            })
        }
        file.writeText(writeJson(present("chats" to kept, "screen" to chats.indexOf(screen).toDouble())))
    }

    private fun load(): Json = try {
        if (file.exists()) parseJson(file.readText()) else emptyMap()
    } catch (problem: IllegalArgumentException) {
        emptyMap()
    }

    private fun restored(kept: Json) = Chat(kept.text("id")).apply {
        unread = kept.number("unread")?.toInt() ?: 0
        kept.list("messages").mapTo(messages) { one ->
            Message(one.text("role") ?: "", one.text("text") ?: "", one.text("id"), one.text("key"), one.text("turn")).apply {
                phase = one.text("phase")?.let { Phase.valueOf(it) }
                status = one.text("status") ?: "sent"
                session = one.text("session")
                notBefore = one.number("notBefore")?.toLong() ?: 0
                isLost = one["isLost"] == true
                asked = one.number("asked")?.toLong() ?: 0
            }
        }
    }
}
