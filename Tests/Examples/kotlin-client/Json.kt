// JSON in a few lines, so that the kit needs no library. An object is a map, an array a list, a number a double.

typealias Json = Map<String, Any?>

fun Json.text(name: String) = this[name] as? String
fun Json.number(name: String) = this[name] as? Double
fun Json.need(name: String) = text(name) ?: throw IllegalArgumentException("no '$name' in the command")

@Suppress("UNCHECKED_CAST")
fun Json.member(name: String) = this[name] as? Json

@Suppress("UNCHECKED_CAST")
fun Json.list(name: String) = (this[name] as? List<*>).orEmpty().mapNotNull { it as? Json }

/** An object without the members that are null. */
fun present(vararg members: Pair<String, Any?>): Json = members.filter { it.second != null }.toMap()

fun writeJson(value: Any?): String = when (value) {
    is Map<*, *> -> value.entries.joinToString(",", "{", "}") { quoted(it.key.toString()) + ":" + writeJson(it.value) }
    is List<*> -> value.joinToString(",", "[", "]") { writeJson(it) }
    is String -> quoted(value)
    is Double -> if (value == Math.rint(value) && Math.abs(value) < 1e15) value.toLong().toString() else value.toString()
    else -> value.toString()
}

private fun quoted(text: String) = text.toCharArray().joinToString("", "\"", "\"") {
    if (it == '"' || it == '\\') "\\$it" else if (it < ' ') String.format("\\u%04x", it - '\u0000') else it.toString()
}

/** @throws IllegalArgumentException for what is no JSON object. */
@Suppress("UNCHECKED_CAST")
fun parseJson(text: String) = Parser(text).whole() as? Json ?: throw IllegalArgumentException("no object: ${text.take(120)}")

private class Parser(private val text: String) {
    private var at = 0

    fun whole(): Any? = value().also { if (peek() != null) fail() }

    private fun fail(): Nothing = throw IllegalArgumentException("no JSON at character $at")

    private fun peek(): Char? {
        while (at < text.length && text[at] in " \t\r\n") at++
        return text.getOrNull(at)
    }

    private fun take(word: String) = text.startsWith(word, at).also { if (it) at += word.length }

    private fun value(): Any? = when (peek()) {
        '{' -> items('}') { string().also { peek(); if (!take(":")) fail() } to value() }.toMap()
        '[' -> items(']') { value() }
        '"' -> string()
        else -> if (take("null")) null else if (take("true")) true else if (take("false")) false else number()
    }

    private fun <T> items(end: Char, item: () -> T): List<T> {
        val items = mutableListOf<T>()
        at++
        if (peek() == end) return items.also { at++ }
        while (true) {
            items += item()
            val next = peek()
            at++
            if (next == end) return items
            if (next != ',') fail()
        }
    }

    private fun string(): String {
        if (peek() != '"') fail()
        val result = StringBuilder()
        while (true) {
            val next = text.getOrNull(++at) ?: fail()
            if (next == '"') return result.toString().also { at++ }
            if (next != '\\') { result.append(next); continue }
            val escaped = text.getOrNull(++at) ?: fail()
            val place = "bfnrt".indexOf(escaped)
            if (escaped == 'u') {
                result.append(text.substring(at + 1, at + 5).toInt(16).toChar())
                at += 4
            } else result.append(if (place < 0) escaped else "\b\u000c\n\r\t"[place])
        }
    }

    private fun number(): Double {
        val start = at
        while (at < text.length && text[at] in "+-.eE0123456789") at++
        return text.substring(start, at).toDoubleOrNull() ?: fail()
    }
}
