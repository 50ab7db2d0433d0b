"""Reads what comes from outside: strict JSON, and messages in the form the protocol gives them."""

import json
import math
import re

SESSION_ID = re.compile(r"[A-Za-z0-9_-]{1,128}")


class Refusal(Exception):
    """Something that is answered with an error and otherwise not done."""

    def __init__(self, code, words, **details):
        super().__init__(words)
        self.code = code
        self.body = {"error": words, "code": code, **details}


def read_object(text):
    """The JSON object in a text, or a refusal: nothing that two readers could understand differently gets in."""
    try:
        value = json.loads(text, object_pairs_hook=_members, parse_float=_number, parse_constant=_no_constant)
        json.dumps(value, ensure_ascii=False).encode()  # a lone surrogate has no UTF-8
    except (ValueError, RecursionError) as problem:
        raise Refusal("parse_error", f"not JSON: {problem}") from None
    if not isinstance(value, dict):
        raise Refusal("parse_error", "not a JSON object")
    return value


def _members(pairs):
    members = dict(pairs)
    if len(members) < len(pairs):
        raise ValueError("two members of the same name")
    return members


def _number(text):
    number = float(text)
    if math.isinf(number):
        raise ValueError("a number beyond all bounds")
    return number


def _no_constant(name):
    raise ValueError(f"{name} is no JSON")


def check_auth(frame):
    """Refuses an `auth` that is none; versions are the server's matter."""
    protocol = frame.get("protocol")
    _need(isinstance(protocol, (int, float)) and not isinstance(protocol, bool), "'protocol' is no number")
    _need(isinstance(frame.get("token", ""), str), "'token' is no string")
    _need(_is_name(frame.get("clientId", "-")), "'clientId' is no name")
    capabilities = frame.get("capabilities", [])
    _need(isinstance(capabilities, list), "'capabilities' is no list")
    _need(all(_is_name(name, 64) for name in capabilities), "'capabilities' holds something that is no name")
    _need(len(set(capabilities)) == len(capabilities), "'capabilities' holds a name twice")


def check_ping(frame):
    """Refuses a `ping` whose nonce is no short string."""
    nonce = frame.get("nonce", "")
    _need(isinstance(nonce, str) and len(nonce) <= 128, "'nonce' is no string of at most 128 characters")


def check_chat(frame):
    """Refuses a `chat`, or the body of `POST /api/chat`, that is none."""
    messages = frame.get("messages")
    _need(isinstance(messages, list) and messages, "'messages' holds no message")
    for message in messages:
        _need(isinstance(message, dict), "a message is no object")
        _need(message.get("role") in ("user", "assistant", "system"), "a message has no role")
        _check_content(message.get("content"))
    _need(messages[-1]["role"] == "user", "the last message is not the user's")
    session = frame.get("sessionId", "new")
    _need(isinstance(session, str) and SESSION_ID.fullmatch(session), "'sessionId' is no id of a session")
    _need(_is_name(frame.get("clientMessageId")), "'clientMessageId' is no name")


def _check_content(content):
    if isinstance(content, str):
        return
    _need(isinstance(content, list) and content, "'content' is neither a text nor parts")
    for part in content:
        _need(isinstance(part, dict) and isinstance(part.get("type"), str) and part["type"], "a part has no type")
        _need(isinstance(part.get("text", ""), str), "'text' of a part is no string")
        _need(isinstance(part.get("image", "-"), str) and part.get("image", "-"), "'image' of a part is no string")
        _need(part["type"] not in ("text", "image") or part["type"] in part, "a part is empty")


def stored_content(content):
    """What is kept of a question: texts and unknown parts as they came, of others the defined members."""
    if isinstance(content, str):
        return content
    return [_defined(part) if part["type"] in ("text", "image") else part for part in content]


def _defined(part):
    return {"type": part["type"], part["type"]: part[part["type"]]}


def is_same(one, other):
    """The same question, however it is written: a text is one part of type `text`."""
    one, other = ([{"type": "text", "text": each}] if isinstance(each, str) else each for each in (one, other))
    return one == other


def _is_name(value, longest=128):
    return isinstance(value, str) and 1 <= len(value) <= longest


def _need(condition, words):
    if not condition:
        raise Refusal("bad_request", words)
