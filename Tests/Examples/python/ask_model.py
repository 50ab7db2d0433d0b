#!/usr/bin/env python3
"""Asks the suite's model endpoint with the vendors' own packages, and says what they made of it.

    python3 ask_model.py http://127.0.0.1:9000

Each line of output is a fact that was seen; the first that is not ends the program with 1.
"""

import json
import sys

import anthropic
import openai

TOOL = {"type": "object", "properties": {"url": {"type": "string"}}}


def script(*steps):
    return json.dumps({"script": steps})


def fact(words, condition):
    if not condition:
        sys.exit(f"not so: {words}")
    print(words)


def ask_openai(client):
    def ask(text, **more):
        return client.chat.completions.create(model="m", messages=[{"role": "user", "content": text}], **more)

    answer = ask(script({"reply": "No, the sun shines. ☀️"}))
    fact("openai: a reply", answer.choices[0].message.content == "No, the sun shines. ☀️")
    fact("openai: usage", answer.usage.total_tokens == answer.usage.prompt_tokens + answer.usage.completion_tokens > 1)
    fact("openai: plain text", "Hello" in ask("Hello there").choices[0].message.content)

    chunks = list(ask(script({"wait": 50}, {"reply": "one two three " * 20}), stream=True))
    text = "".join(chunk.choices[0].delta.content or "" for chunk in chunks)
    fact("openai: a streamed reply", text == "one two three " * 20 and len(chunks) > 4)
    fact("openai: a streamed reply ends", chunks[-1].choices[0].finish_reason == "stop")
    chunks = list(ask(script({"reply": "x"}), stream=True, stream_options={"include_usage": True}))
    fact("openai: streamed usage", chunks[-1].usage.completion_tokens > 0 and chunks[-1].choices == [])

    tools = [{"type": "function", "function": {"name": n, "parameters": TOOL}} for n in ("webFetch", "calendar")]
    question = script({"tool": "calendar", "input": {"day": 1}}, {"tool": "unknown"}, {"reply": "both"})
    talk = [{"role": "user", "content": question}]
    used = []
    for _ in range(3):
        message = client.chat.completions.create(model="m", messages=talk, tools=tools).choices[0].message
        if not message.tool_calls:
            break
        call = message.tool_calls[0]
        used.append((call.function.name, json.loads(call.function.arguments)))
        talk += [message, {"role": "tool", "tool_call_id": call.id, "content": "done"}]
    fact("openai: tools, by name or the first", used == [("calendar", {"day": 1}), ("webFetch", {})])
    fact("openai: the reply after the tools", message.content == "both")
    answer = ask(script({"tool": "t"}, {"reply": "r"}))
    fact("openai: no tool where none is offered", answer.choices[0].message.content == "r")

    with client.chat.completions.stream(model="m", messages=talk[:1], tools=tools) as stream:
        final = stream.get_final_completion().choices[0]
    fact("openai: a streamed tool", json.loads(final.message.tool_calls[0].function.arguments) == {"day": 1})
    fact("openai: a streamed tool ends", final.finish_reason == "tool_calls")

    parts = [{"type": "text", "text": "today is Monday"}, {"type": "text", "text": script({"reply": "in parts"})}]
    fact("openai: a script in parts", ask(parts).choices[0].message.content == "in parts")
    try:
        ask(script({"fail": "model exploded"}))
        fact("openai: a failure", False)
    except openai.InternalServerError as problem:
        fact("openai: a failure", problem.status_code == 500 and "model exploded" in problem.message)
    try:
        client.chat.completions.create(model="m", messages=[])
        fact("openai: a bad request", False)
    except openai.BadRequestError as problem:
        fact("openai: a bad request", problem.body["type"] == "invalid_request_error")
    try:
        client.embeddings.create(model="m", input="x")
        fact("openai: an unknown path", False)
    except openai.NotFoundError as problem:
        fact("openai: an unknown path", "embeddings" in problem.message)
    fact("openai: models", [model.id for model in client.models.list()] == ["scripted-1"])


def ask_anthropic(client):
    def ask(text, **more):
        return client.messages.create(
            model="m", max_tokens=100, messages=[{"role": "user", "content": text}], **more
        )

    answer = ask(script({"reply": "No, the sun shines. ☀️"}))
    fact("anthropic: a reply", answer.content[0].text == "No, the sun shines. ☀️" and answer.stop_reason == "end_turn")
    fact("anthropic: usage", answer.usage.input_tokens > 0 and answer.usage.output_tokens > 0)
    fact("anthropic: plain text", "Hello" in ask("Hello there").content[0].text)

    with client.messages.stream(
        model="m", max_tokens=100,
        messages=[{"role": "user", "content": script({"wait": 50}, {"reply": "one two three " * 20})}],
    ) as stream:
        kinds = [event.type for event in stream]
        final = stream.get_final_message()
    fact("anthropic: a streamed reply", final.content[0].text == "one two three " * 20)
    fact("anthropic: its events", kinds[0] == "message_start" and kinds[-1] == "message_stop")
    fact("anthropic: streamed usage", final.usage.output_tokens > 0 and final.stop_reason == "end_turn")

    tools = [{"name": name, "input_schema": TOOL} for name in ("webFetch", "calendar")]
    question = script({"tool": "calendar", "input": {"day": 1}}, {"tool": "unknown"}, {"reply": "both"})
    talk = [{"role": "user", "content": question}]
    used = []
    for _ in range(3):
        message = client.messages.create(model="m", max_tokens=100, messages=talk, tools=tools)
        if message.stop_reason != "tool_use":
            break
        use = message.content[0]
        used.append((use.name, use.input))
        result = {"type": "tool_result", "tool_use_id": use.id, "content": "done"}
        talk += [{"role": "assistant", "content": message.content}, {"role": "user", "content": [result]}]
    fact("anthropic: tools, by name or the first", used == [("calendar", {"day": 1}), ("webFetch", {})])
    fact("anthropic: the reply after the tools", message.content[0].text == "both")
    answer = ask(script({"tool": "t"}, {"reply": "r"}))
    fact("anthropic: no tool where none is offered", answer.content[0].text == "r")

    with client.messages.stream(model="m", max_tokens=100, messages=talk[:1], tools=tools) as stream:
        final = stream.get_final_message()
    fact("anthropic: a streamed tool", final.content[0].input == {"day": 1} and final.stop_reason == "tool_use")

    parts = [{"type": "text", "text": script({"reply": "in parts"})}, {"type": "text", "text": "today is Monday"}]
    fact("anthropic: a script in parts", ask(parts).content[0].text == "in parts")
    try:
        ask(script({"fail": "model exploded"}))
        fact("anthropic: a failure", False)
    except anthropic.APIStatusError as problem:
        fact("anthropic: a failure", problem.status_code == 529 and problem.body["error"]["type"] == "overloaded_error")
    try:
        client.messages.create(model="m", max_tokens=100, messages=[])
        fact("anthropic: a bad request", False)
    except anthropic.BadRequestError as problem:
        fact("anthropic: a bad request", problem.body["error"]["type"] == "invalid_request_error")
    fact("anthropic: models", [model.id for model in client.models.list()] == ["scripted-1"])


def main():
    base = sys.argv[1]
    ask_openai(openai.OpenAI(base_url=base + "/v1", api_key="unused", timeout=30))
    ask_anthropic(anthropic.Anthropic(base_url=base, api_key="unused", timeout=30))


if __name__ == "__main__":
    main()
