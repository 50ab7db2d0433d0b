"""Reads every valid message with generated pydantic models and writes it again: nothing may be lost.

    python round_trip.py FOLDER FIXTURES       FOLDER holds holdfast_types.py, FIXTURES is Fixtures/

Ends with 1 and names what was lost.
"""
import json
import pathlib
import sys

NAMES = {"restError": "RestError", "session": "SessionResponse", "push": "PushPayload", "pushHeaders": "PushHeaders"}


def models(entry, types):
    """What a fixture is: its own type, and for a frame also the union of its side."""
    name = entry["type"]
    if not entry["file"].startswith("messages/"):
        return [getattr(types, NAMES.get(name, name[0].upper() + name[1:]))]
    side = types.ClientFrame if name in ("auth", "chat", "sync", "ping") else types.ServerFrame
    return [getattr(types, name[0].upper() + name[1:] + "Frame"), side]


def main(folder, fixtures):
    sys.path.insert(0, folder)
    import holdfast_types as types

    fixtures = pathlib.Path(fixtures)
    entries = json.loads((fixtures / "index.json").read_text("utf-8"))["messages"]
    count = lost = 0
    for entry in entries:
        if entry["verdict"] != "valid":
            continue
        data = (fixtures / entry["file"]).read_bytes()
        for model in models(entry, types):
            count += 1
            try:
                again = json.loads(model.model_validate_json(data).model_dump_json(exclude_unset=True, by_alias=True))
                if again == json.loads(data):
                    continue
                reason = f"came back as {json.dumps(again)[:300]}"
            except ValueError as problem:
                reason = str(problem)[:300]
            lost += 1
            print(f"{entry['file']} as {model.__name__}: {reason}")
    print(f"{count} messages, {lost or 'none'} lost")
    return 1 if lost or not count else 0


sys.exit(main(*sys.argv[1:]))
