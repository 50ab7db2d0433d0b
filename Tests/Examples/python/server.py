#!/usr/bin/env python3
"""A small server of the Holdfast protocol: profile `core`, an agent that obeys scripts, sessions in files or SQLite.

It is an example to start from. One rule explains most of it: what a client is told is stored before it is announced.

    python3 server.py --port 8080 --data ./data --store sqlite
"""

import argparse
import asyncio
import concurrent.futures
import datetime
import itertools
import json
import os
import signal
import urllib.parse
import uuid

import strict
import wire
from agent import AgentFailed, ModelAgent, ScriptedAgent
from stores import FileStore, OverwritingFileStore, SQLiteStore
from strict import Refusal

LARGEST_MESSAGE = 256 * 1024
STATUS = {
    "session_not_found": 404,
    "too_large": 413,
    "idempotency_mismatch": 422,
    "persist_failed": 503,
    "interrupted": 503,
    "agent_failed": 500,
}
DEFECTS = {
    "done-before-stored": "sends `done` and stores the answer afterwards (PERSIST-1)",
    "done-for-unknown-session": "answers in a session that does not exist, and stores nothing (ID-4)",
    "null-ends-the-process": "ends when a message is `null` (ENV-3)",
    "overwrites-files": "empties a session's file before it writes it; needs --store files (PERSIST-5)",
    "oldest-first": "lists the oldest session first (REST-3)",
    "question-stored-with-answer": "stores the question not before the answer (PERSIST-2)",
    "disconnect-cancels": "gives a turn up when its connection ends (TURN-6)",
}


def now():
    return datetime.datetime.now(datetime.timezone.utc).isoformat(timespec="microseconds")


class Session:
    """One conversation. `kept` is what the store holds, and all that a reader is ever shown."""

    def __init__(self, kept):
        self.id = kept["id"]
        self.kept = kept
        self.changing = asyncio.Lock()
        self.answering = asyncio.Lock()

    @classmethod
    def begun(cls):
        began = now()
        return cls({"id": uuid.uuid4().hex, "createdAt": began, "updatedAt": began, "messages": [], "turns": []})


class Turn:
    """One question on its way to its one ending."""

    def __init__(self, session, content, key, origin):
        self.id = "turn-" + uuid.uuid4().hex
        self.session, self.key, self.origin = session, key, origin
        self.question = {**self.message("user", content), **key}
        self.thinking = None
        self.accepted = asyncio.get_running_loop().create_future()
        self.ended = asyncio.get_running_loop().create_future()

    @classmethod
    def kept(cls, session, entry):
        """One that ended in an earlier life of the server."""
        question, *answers = [each for each in session.kept["messages"] if each["turnId"] == entry["turnId"]]
        turn = cls(session, question["content"], {"clientMessageId": entry["clientMessageId"]}, None)
        turn.id, turn.question = entry["turnId"], question
        turn.accepted.set_result(True)
        turn.ended.set_result(turn.done(answers[0]) if answers else turn.error(*entry["failure"]))
        return turn

    @property
    def names(self):
        return {"sessionId": self.session.id, "turnId": self.id, **self.key}

    def message(self, role, content):
        name = "message-" + uuid.uuid4().hex
        return {"id": name, "role": role, "content": content, "timestamp": now(), "turnId": self.id}

    def begin(self, kept):
        self.question["timestamp"] = kept["updatedAt"] = now()
        kept["messages"].append(self.question)
        kept["turns"].append({"turnId": self.id, "status": "running", **self.key})

    def conclude(self, kept, answer, failure):
        if all(turn["turnId"] != self.id for turn in kept["turns"]):
            self.begin(kept)
        for turn in kept["turns"]:
            if turn["turnId"] == self.id:
                turn.update({"status": "failed", "failure": failure} if failure else {"status": "done"})
        if not failure:
            kept["messages"].append(answer)
            kept["updatedAt"] = answer["timestamp"]

    def done(self, answer):
        return {"type": "done", "text": answer["content"], "messageId": answer["id"], **self.names}

    def error(self, code, words):
        return {"type": "error", "error": words, "code": code, "retryable": code != "agent_failed", **self.names}


class Server:
    def __init__(self, store, agent, heartbeat, defect=None):
        self.store, self.agent, self.heartbeat, self.defect = store, agent, heartbeat, defect
        self.disk = concurrent.futures.ThreadPoolExecutor(1)
        self.sessions = {}
        self.asked = {}  # turns, by the key of their question
        self.sockets = set()
        self.joined = set()
        self.turns = set()
        self.tasks = set()
        self.idle = set()
        self.is_stopping = False

    # Starting and stopping

    async def run(self, host, port):
        await self.recover()
        listener = await asyncio.start_server(self.serve, host, port, limit=65536)
        stopped = asyncio.Event()
        for number in (signal.SIGTERM, signal.SIGINT):
            asyncio.get_running_loop().add_signal_handler(number, stopped.set)
        port = listener.sockets[0].getsockname()[1]
        print(f"listening on ws://{host}:{port}/ws and http://{host}:{port}", flush=True)
        await stopped.wait()
        listener.close()
        await self.stop()

    async def recover(self):
        """Reads what is kept. A turn that ran when the process ended has nobody left who runs it."""
        for kept in self.store.load():
            session = Session(kept)
            self.sessions[kept["id"]] = session
            if any(turn["status"] == "running" for turn in kept["turns"]):
                try:
                    await self.change(session, fail_running_turns)
                except OSError:
                    session.kept = changed(session.kept, fail_running_turns)
            for entry in session.kept["turns"]:
                self.asked[entry["clientMessageId"]] = Turn.kept(session, entry)

    async def stop(self):
        """Ends what runs, tells everyone, and says goodbye."""
        self.is_stopping = True
        for turn in self.turns:
            if turn.thinking:
                turn.thinking.cancel()
        if self.turns:
            await asyncio.wait([turn.ended for turn in self.turns])
        for socket in self.sockets:
            socket.close(1001, "the server stops")
        for task in self.idle:
            task.cancel()
        if self.tasks:
            await asyncio.wait(self.tasks, timeout=2)

    # Connections

    async def serve(self, reader, writer):
        task = asyncio.current_task()
        self.tasks.add(task)
        try:
            while await self.take_request(reader, writer):
                pass
        except (ConnectionError, asyncio.IncompleteReadError):
            pass
        finally:
            self.tasks.discard(task)
            writer.close()

    async def take_request(self, reader, writer):
        """Answers one request; True when another may follow on the same connection."""
        task = asyncio.current_task()
        try:
            self.idle.add(task)
            head = await reader.readuntil(b"\r\n\r\n")
            request = wire.Request(head)
        except (ValueError, asyncio.LimitOverrunError) as problem:
            body = {"error": f"not a request: {problem}", "code": "bad_request"}
            writer.write(wire.response(400, body, stays_open=False))
            return False
        finally:
            self.idle.discard(task)
        if request.wants_socket and request.path == "/ws":
            await self.serve_socket(wire.Socket(reader, writer, LARGEST_MESSAGE), head)
            return False
        stays_open = request.stays_open and request.length <= LARGEST_MESSAGE
        if request.length <= LARGEST_MESSAGE:
            request.body = await reader.readexactly(request.length)
        status, body = await self.answer(request)
        writer.write(wire.response(status, body, stays_open))
        await writer.drain()
        return stays_open

    async def serve_socket(self, socket, head):
        if self.is_stopping or not socket.accept(head):
            return
        self.sockets.add(socket)
        beats = asyncio.create_task(socket.keep_alive(self.heartbeat))
        try:
            async for is_text, message in socket.messages():
                try:
                    await self.take(message, is_text, socket)
                except Refusal as refusal:
                    if self.defect == "done-for-unknown-session" and refusal.code == "session_not_found":
                        names = {"sessionId": refusal.body["sessionId"], "turnId": "turn", "messageId": "message"}
                        self.tell({"type": "done", "text": "Certainly.", **names})
                    else:
                        socket.send({"type": "error", **refusal.body})
        finally:
            beats.cancel()
            self.sockets.discard(socket)
            self.joined.discard(socket)
            if self.defect == "disconnect-cancels":
                for turn in self.turns:
                    if turn.origin is socket and turn.thinking:
                        turn.thinking.cancel()

    # Frames

    async def take(self, message, is_text, socket):
        if not is_text:
            raise Refusal("bad_request", "messages are texts")
        try:
            text = message.decode()
        except UnicodeDecodeError:
            raise Refusal("parse_error", "not UTF-8") from None
        if self.defect == "null-ends-the-process" and text == "null":
            os._exit(1)
        frame = strict.read_object(text)
        kind = frame.get("type")
        if not isinstance(kind, str):
            raise Refusal("bad_request", "'type' is no string")
        if kind == "auth":
            strict.check_auth(frame)
            self.greet(frame, socket)
        elif kind not in ("chat", "ping"):
            raise Refusal("unknown_type", f"type '{kind[:100]}' is not known")
        elif socket not in self.joined:
            raise Refusal("not_authenticated", "'auth' comes first")
        elif kind == "ping":
            strict.check_ping(frame)
            socket.send({"type": "pong", **{name: frame[name] for name in ("nonce",) if name in frame}})
        else:
            turn, copy = await self.accept(frame, origin=socket)
            socket.send({"type": "ack", "messageId": turn.question["id"], **turn.names, **copy})
            if copy and turn.ended.done():
                socket.send({**turn.ended.result(), **copy})

    def greet(self, frame, socket):
        if frame["protocol"] != 1:
            words = "only version 1 is spoken"
            socket.send({"type": "error", "error": words, "code": "unsupported_version", "supported": [1]})
            socket.close(4010, "unsupported version")
        elif socket in self.joined:
            raise Refusal("bad_request", "'auth' was answered already")
        else:
            socket.send({
                "type": "connected",
                "protocol": 1,
                "connectionId": "connection-" + uuid.uuid4().hex,
                "serverTime": now(),
                "capabilities": [],
                "limits": {"maxFrameBytes": LARGEST_MESSAGE},
                "heartbeatSeconds": self.heartbeat,
            })
            self.joined.add(socket)

    def tell(self, frame):
        """Every frame of a turn goes to every open connection, whoever asked."""
        for socket in self.joined:
            socket.send(frame)

    # Turns

    async def accept(self, asked, origin=None):
        """The turn of a question, new or repeated, or a refusal without a trace. A turn runs whoever stays."""
        strict.check_chat(asked)
        key = {"clientMessageId": asked["clientMessageId"]}
        content = strict.stored_content(asked["messages"][-1]["content"])
        while known := self.asked.get(asked["clientMessageId"]):
            if not await known.accepted:
                continue
            is_there = asked.get("sessionId") in (None, known.session.id)
            if not is_there or not strict.is_same(known.question["content"], content):
                raise Refusal("idempotency_mismatch", "the key is that of another question", **key)
            return known, {"duplicate": True}
        if self.is_stopping:
            raise Refusal("persist_failed", "the server stops and stores nothing more; ask again", retryable=True, **key)
        session = self.find(asked, key)
        turn = self.asked[asked["clientMessageId"]] = Turn(session, content, key, origin)
        self.turns.add(turn)
        try:
            if self.defect != "question-stored-with-answer":
                await self.change(session, turn.begin)
        except OSError as problem:
            del self.asked[asked["clientMessageId"]]
            turn.accepted.set_result(False)
            self.end(turn, None)
            words = f"the question could not be stored; ask again ({problem})"
            raise Refusal("persist_failed", words, retryable=True, **key) from None
        self.sessions[session.id] = session
        turn.accepted.set_result(True)
        turn.task = asyncio.create_task(self.run_turn(turn))
        return turn, {}

    def find(self, asked, key):
        """The session a question belongs to; a new one, not yet stored, when it names none."""
        if "sessionId" not in asked:
            return Session.begun()
        if asked["sessionId"] in self.sessions:
            return self.sessions[asked["sessionId"]]
        raise Refusal("session_not_found", "there is no such session", sessionId=asked["sessionId"], **key)

    async def run_turn(self, turn):
        """The turns of a session run one after the other; each ends once, and its end is stored before it is announced."""
        async with turn.session.answering:
            text, failure = await self.think(turn)
            answer = None if failure else turn.message("assistant", text)
            if self.defect == "done-before-stored" and answer:
                self.tell(turn.done(answer))
            try:
                await self.change(turn.session, lambda kept: turn.conclude(kept, answer, failure))
            except OSError as problem:
                failure = failure or ("persist_failed", f"the answer could not be stored; ask again ({problem})")
                # The store still calls the turn running; after a restart `recover` says what is said here.
                turn.session.kept = changed(turn.session.kept, lambda kept: turn.conclude(kept, None, failure))
            ending = turn.error(*failure) if failure else turn.done(answer)
            if self.defect != "done-before-stored" or failure:
                self.tell(ending)
        self.end(turn, ending)

    async def think(self, turn):
        """The agent's answer, or the reason why there is none."""

        async def use_tool(name, given):
            frame = {"type": "toolUse", "tool": whole(name), "status": "started", **turn.names}
            self.tell(frame if given is None else {**frame, "input": whole(given)})

        earlier = itertools.takewhile(lambda message: message["turnId"] != turn.id, turn.session.kept["messages"])
        try:
            if self.is_stopping:
                raise asyncio.CancelledError
            turn.thinking = asyncio.create_task(self.agent.answer([*earlier, turn.question], use_tool))
            return whole(await turn.thinking), None
        except asyncio.CancelledError:
            return None, ("interrupted", "the server stopped while this turn ran")
        except AgentFailed as problem:
            return None, ("agent_failed", whole(f"the agent failed: {problem}"))
        except Exception as problem:  # whatever else an agent does wrong ends its turn and nothing more
            return None, ("agent_failed", f"the agent failed: {problem!r}")

    def end(self, turn, ending):
        self.turns.discard(turn)
        turn.ended.set_result(ending)

    async def change(self, session, edit):
        """Makes a change durable, then visible: readers see the session before or after it."""
        async with session.changing:
            kept = changed(session.kept, edit)
            await asyncio.get_running_loop().run_in_executor(self.disk, self.store.save, kept)
            session.kept = kept

    # REST

    async def answer(self, request):
        """The status and the body for a request."""
        try:
            if request.length > LARGEST_MESSAGE:
                raise Refusal("too_large", f"a body holds at most {LARGEST_MESSAGE} bytes")
            route = request.method, request.path
            if route == ("GET", "/api/health"):
                return 200, {"ok": True}
            if route == ("GET", "/api/sessions"):
                return 200, {"sessions": self.list()}
            if route == ("POST", "/api/chat"):
                return await self.chat(request.body)
            if request.method == "GET" and request.path.startswith("/api/sessions/"):
                return 200, {"session": self.read(request.path.removeprefix("/api/sessions/"))}
            return 404, {"error": "there is nothing here", "code": "bad_request"}
        except Refusal as refusal:
            return STATUS.get(refusal.code, 400), refusal.body

    def list(self):
        is_newest_first = self.defect != "oldest-first"
        kept = sorted((session.kept for session in self.sessions.values()), key=lambda kept: kept["updatedAt"])
        summaries = [
            {"id": each["id"], "updatedAt": each["updatedAt"], "messageCount": len(each["messages"])} for each in kept
        ]
        return summaries[::-1] if is_newest_first else summaries

    def read(self, quoted):
        session = self.sessions.get(urllib.parse.unquote(quoted))
        if not session:
            raise Refusal("session_not_found", "there is no such session")
        return session.kept

    async def chat(self, body):
        try:
            asked = strict.read_object(body.decode())
        except UnicodeDecodeError:
            raise Refusal("parse_error", "not UTF-8") from None
        turn, copy = await self.accept(asked)
        ending = await turn.ended
        if ending["type"] == "error":
            return STATUS[ending["code"]], {name: ending[name] for name in ending if name != "type"}
        return 200, {**{name: ending[name] for name in ending if name != "type"}, **copy}


def whole(said):
    """What an agent said, without halves of characters: no message can carry them (ENV-1)."""
    text = json.dumps(said, ensure_ascii=False).encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    return json.loads(text)


def changed(kept, edit):
    """A copy with the edit made; what is shown or stored already stays as it is."""
    copy = {**kept, "messages": [*kept["messages"]], "turns": [dict(turn) for turn in kept["turns"]]}
    edit(copy)
    return copy


def fail_running_turns(kept):
    for turn in kept["turns"]:
        if turn["status"] == "running":
            turn.update({"status": "failed", "failure": ("interrupted", "the server stopped; ask again")})


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--host", default="127.0.0.1")
    parser.add_argument("--port", type=int, default=int(os.environ.get("HOLDFAST_PORT", "8080")))
    parser.add_argument("--data", default=os.environ.get("HOLDFAST_DATA", "data"), help="the folder of the sessions")
    parser.add_argument("--store", choices=["files", "sqlite"], default="files")
    parser.add_argument("--heartbeat", type=int, default=30, help="seconds of silence before a peer is asked")
    parser.add_argument("--model", metavar="URL", help="ask this endpoint instead of obeying scripts")
    defects = "; ".join(f"{name}: {summary}" for name, summary in DEFECTS.items())
    parser.add_argument("--break", dest="defect", choices=DEFECTS, metavar="NAME", help=defects)
    options = parser.parse_args()
    os.makedirs(options.data, exist_ok=True)
    stores = {"files": FileStore, "sqlite": SQLiteStore}
    if options.defect == "overwrites-files":
        stores["files"] = OverwritingFileStore
    agent = ModelAgent(options.model) if options.model else ScriptedAgent()
    server = Server(stores[options.store](options.data), agent, options.heartbeat, options.defect)
    asyncio.run(server.run(options.host, options.port))


if __name__ == "__main__":
    main()
