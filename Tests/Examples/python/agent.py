"""What answers: a script in the question, a model behind a URL, or, for any other question, an echo."""

import asyncio
import json
import urllib.parse


class AgentFailed(Exception):
    """The agent gave up; the words are for people."""


class ScriptedAgent:
    """Obeys `{"script": [...]}`, the way a test makes tools, waits and failures predictable."""

    async def answer(self, messages, use_tool):
        question = plain_text(messages[-1]["content"])
        for step in script(question):
            if "tool" in step:
                await use_tool(step["tool"], step.get("input"))
            elif "wait" in step:
                await asyncio.sleep(step["wait"] / 1000)
            elif "reply" in step:
                return step["reply"]
            elif "fail" in step:
                raise AgentFailed(step["fail"])
        return f"You said: {question[:200]}"


class ModelAgent:
    """Asks an endpoint shaped like OpenAI's chat completions, and uses tools until it answers."""

    TOOLS = ("webFetch", "calendar")

    def __init__(self, url):
        self.url = url.rstrip("/") + "/v1/chat/completions"

    async def answer(self, messages, use_tool):
        talk = [{"role": message["role"], "content": message["content"]} for message in messages]
        tools = [
            {"type": "function", "function": {"name": name, "parameters": {"type": "object"}}} for name in self.TOOLS
        ]
        while True:
            status, body = await post_json(self.url, {"model": "any", "messages": talk, "tools": tools})
            if status != 200:
                raise AgentFailed(f"the model answered {status}")
            said = body["choices"][0]["message"]
            if not said.get("tool_calls"):
                return said["content"]
            talk.append(said)
            for call in said["tool_calls"]:
                await use_tool(call["function"]["name"], json.loads(call["function"]["arguments"] or "null"))
                talk.append({"role": "tool", "tool_call_id": call["id"], "content": "done"})


def plain_text(content):
    """The words of a message, whether it came as a text or in parts."""
    if isinstance(content, str):
        return content
    return "".join(part.get("text", "") for part in content)


def script(question):
    """The steps in a question; none where it is an ordinary one."""
    try:
        value = json.loads(question)
    except (ValueError, RecursionError):
        return []
    steps = value.get("script") if isinstance(value, dict) else None
    return steps if isinstance(steps, list) and all(map(_is_step, steps)) else []


def _is_step(step):
    if not isinstance(step, dict):
        return False
    if "wait" in step:
        return isinstance(step["wait"], (int, float)) and 0 <= step["wait"] <= 600_000
    return any(isinstance(step.get(name), str) for name in ("tool", "reply", "fail"))


async def post_json(url, body):
    """One request to the model; ends with its task, so that a server that stops does not wait for a model."""
    place = urllib.parse.urlsplit(url)
    secure = place.scheme == "https"
    try:
        reader, writer = await asyncio.open_connection(
            place.hostname, place.port or (443 if secure else 80), ssl=secure or None
        )
        try:
            content = json.dumps(body).encode()
            # HTTP 1.0, so that the answer comes in one piece and ends with the connection.
            writer.write(
                f"POST {place.path} HTTP/1.0\r\nHost: {place.netloc}\r\nContent-Type: application/json\r\n"
                f"Content-Length: {len(content)}\r\n\r\n".encode() + content
            )
            head, _, answer = (await reader.read(-1)).partition(b"\r\n\r\n")
            return int(head.split()[1]), json.loads(answer)
        finally:
            writer.close()
    except (OSError, ValueError, IndexError) as problem:
        raise AgentFailed(f"the model cannot be asked: {problem}") from None
