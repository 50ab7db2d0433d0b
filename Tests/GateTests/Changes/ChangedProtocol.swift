import TestSupport

@testable import HoldfastGate

/// A protocol with everything that can be changed: large enough for each kind of change, small enough to be gone through often.
enum ChangedProtocol {
    static let base: SmallProtocol = {
        var base = SmallProtocol()
        for (path, text) in files { base.files["Spec/\(path)"] = text }
        base.add(message: "error/valid/plain", #"{"type":"error","error":"No.","code":"busy"}"#)
        base.add(message: "answer/valid/plain", #"{"answer":"Yes."}"#)
        base.add(message: "status/valid/plain", #"{"type":"status","level":3,"ratio":0.5,"state":"up"}"#)
        base.add(message: "order/valid/plain", #"{"type":"order","items":[{"role":"user","text":"a"}]}"#)
        base.add(message: "order/invalid/empty", #"{"type":"order","items":[]}"#)
        base.add(
            message: "order/valid/unknown-members", #"{"type":"order","items":[{"role":"user","text":"a"}],"x":1}"#)
        return base
    }()

    /// A body that is no message of the socket.
    static let answer = """
        { "$schema": "https://json-schema.org/draft/2020-12/schema",
          "$id": "https://holdfast.example/spec/1/schemas/rest/answer.json", "title": "Answer", "x-direction": "server",
          "type": "object", "required": ["answer"], "properties": { "answer": { "type": "string" } } }

        """

    /// It as the gate reads it, read once.
    static let state = Result { try base.state("old") }

    private static func schema(_ name: String, _ direction: String, _ rest: String) -> String {
        """
        {
          "$schema": "https://json-schema.org/draft/2020-12/schema",
          "$id": "https://holdfast.example/spec/1/schemas/messages/\(name).json",
          "title": "\(name)",
          "x-direction": "\(direction)",
          "type": "object",
          \(rest)
        }

        """
    }

    private static let files: [String: String] = [
        "schemas/common.json": """
        {
          "$schema": "https://json-schema.org/draft/2020-12/schema",
          "$id": "https://holdfast.example/spec/1/schemas/common.json",
          "$defs": {
            "id": { "type": "string", "pattern": "^[a-z0-9]{1,16}$" },
            "code": { "type": "string", "pattern": "^[a-z_]+$", "x-extensible-enum": ["busy", "too_large"] }
          }
        }

        """,
        "schemas/rest/answer.json": answer,
        "schemas/messages/error.json": schema(
            "error", "server",
            """
            "required": ["type", "error"],
              "properties": {
                "type": { "const": "error" },
                "error": { "type": "string" },
                "code": { "$ref": "../common.json#/$defs/code" },
                "turnId": { "$ref": "../common.json#/$defs/id" }
              },
              "if": { "required": ["turnId"] },
              "then": { "x-clause": "TURN-3", "required": ["code"] }
            """),
        "schemas/messages/status.json": schema(
            "status", "server",
            """
            "required": ["type", "level", "state"],
              "x-clause": "TURN-2",
              "x-profiles": {
                "sync": { "required": ["seq"] }, "rate-limit": { "required": ["turnId"] },
                "push": { "properties": { "ratio": { "minimum": 0.25 } } }
              },
              "properties": {
                "type": { "const": "status" },
                "level": { "type": "integer", "minimum": 0, "maximum": 100 },
                "ratio": { "type": "number", "minimum": 0, "maximum": 1 },
                "state": { "enum": ["up", "down"] },
                "seq": { "type": "integer", "minimum": 1, "maximum": 9007199254740991 },
                "turnId": { "$ref": "../common.json#/$defs/id" },
                "note": { "type": "string", "maxLength": 80 },
                "tags": { "type": "array", "maxItems": 4, "items": { "type": "string" } }
              }
            """),
        "schemas/messages/order.json": schema(
            "order", "client",
            """
            "required": ["type", "items"],
              "properties": {
                "type": { "const": "order" },
                "id": { "$ref": "../common.json#/$defs/id" },
                "note": { "type": "string", "maxLength": 80 },
                "kind": { "const": "plain" },
                "limit": { "default": 20, "type": "integer", "minimum": 1, "maximum": 50 },
                "items": {
                  "type": "array",
                  "minItems": 1,
                  "contains": { "type": "object", "required": ["role"], "properties": { "role": { "const": "user" } } },
                  "items": {
                    "type": "object",
                    "required": ["role", "text"],
                    "properties": { "role": { "enum": ["user", "assistant"] }, "text": { "type": "string" } }
                  }
                }
              }
            """),
        "chapters/02-terms.md": """
        # 2. Terms

        **Window.** A window of `status` is 60 s, unless
        it is shorter.

        ## 2.1 Polling

        A client reads ([TURN-6](../clauses/TURN.md)) 5 s apart.

        """,
        "schemas/files/note.json": """
        { "$schema": "https://json-schema.org/draft/2020-12/schema",
          "$id": "https://holdfast.example/spec/1/schemas/files/note.json", "description": "A note.",
          "properties": { "id": { "$ref": "../common.json#/$defs/id" } } }

        """,
        "chapters/03-conformance.md": """
        # 3. Conformance

        | profile | side | holds | needs |
        |---|---|---|---|
        | `core` | server | turns | – |
        | `sync` | server | replay | `core` |
        | `push` | server | notices | `core` |
        | `client-core` | client | showing | – |
        | `client-sync` | client | position | `client-core` |

        | name | value | from – to | why this value |
        |---|---|---|---|
        | `pong` | 5 s | `ping` sent – `pong` received | an answer without work |
        | `turn` | 30 s | question – ending | a slow machine |
        | `resend` | 15 s | `chat` sent – given up | people wait |
        | `polling` | 65 s, or as configured | first read – last read | twelve reads |
        | `quiet` | fence | – | see below |

        """,
        "chapters/06-rest.md": """
        # 6. REST

        | request | 200 | otherwise |
        |---|---|---|
        | `GET /api/health` | `{ok: true}`, always | |
        | `POST /api/chat` | `{text}` | 404, 429 |

        """,
        "chapters/14-promises.md": """
        # 14. Promises

        | promise | server | client |
        |---|---|---|
        | 1. Once | TURN-2, TURN-3 of all | TURN-6 |

        | server | client | 1 |
        |---|---|---|
        | `core` | any | yes |

        """,
        "chapters/04-transport.md": """
        # 4. Transport

        | input | answer |
        |---|---|
        | no JSON | `parse_error` or `bad_request` |
        | unknown `type` | `unknown_type` |

        | code | meaning | sent by | the client then |
        |---|---|---|---|
        | 1001 | going away | either | reconnects with backoff |
        | 4001 | bad credentials | server | **terminal**: asks for credentials |
        | 4002 | no `auth` in time | server | reconnects with backoff |

        """,
        "chapters/05-messages.md": """
        # 5. Messages

        | code | means | over REST | ends a turn | asking again |
        |---|---|---|---|---|
        | `busy` | a turn runs | 409 | no | later |
        | `too_large` | too many bytes | 413 | no | smaller |

        | member | is |
        |---|---|
        | `limit`? | how much; 20 if absent |

        | `reason` | what happened | what the client does |
        |---|---|---|
        | `evicted` | frames are gone | reads the session |
        | `too_many` | one page | asks for the next |

        """,
        "openapi.json": """
        {
          "openapi": "3.1.0",
          "info": { "title": "REST", "version": "1.0" },
          "servers": [{ "url": "https://server.example" }],
          "security": [{ "bearer": [] }],
          "paths": {
            "/api/health": { "get": { "security": [], "responses": { "200": { "description": "Up." } } } },
            "/api/answer": {
              "get": {
                "responses": {
                  "200": { "content": { "application/json": { "schema": { "$ref": "schemas/rest/answer.json" } } } }
                }
              }
            },
            "/api/sessions/{id}": {
              "get": {
                "parameters": [
                  { "name": "id", "in": "path", "required": true, "schema": { "type": "string", "maxLength": 16 } },
                  { "name": "page", "in": "query", "schema": { "type": "integer" } },
                  { "name": "order", "in": "query", "schema": { "$ref": "schemas/common.json#/$defs/id" } }
                ],
                "responses": {
                  "200": { "content": { "application/json": { "schema": { "$ref": "schemas/messages/status.json" } } } },
                  "401": { "description": "No token." },
                  "404": { "$ref": "#/components/responses/none" }
                }
              }
            },
            "/api/chat": {
              "post": {
                "requestBody": {
                  "required": true,
                  "content": { "application/json": { "schema": { "$ref": "schemas/messages/order.json" } } }
                },
                "responses": {
                  "200": { "content": { "application/json": { "schema": { "$ref": "schemas/messages/done.json" } } } },
                  "404": { "$ref": "#/components/responses/none" },
                  "429": { "headers": { "Retry-After": { "required": true, "schema": { "type": "integer", "minimum": 0 } } } },
                  "default": { "description": "It failed." }
                }
              }
            }
          },
          "components": {
            "securitySchemes": { "bearer": { "type": "http", "scheme": "bearer" } },
            "responses": {
              "none": { "content": { "application/json": { "schema": { "$ref": "schemas/messages/error.json" } } } }
            }
          }
        }

        """,
        "asyncapi.json": """
        {
          "asyncapi": "3.0.0",
          "defaultContentType": "application/json",
          "servers": {
            "example": { "host": "a.example", "protocol": "wss", "security": [{ "$ref": "#/components/securitySchemes/bearer" }] }
          },
          "channels": {
            "socket": {
              "address": null,
              "messages": {
                "chat": { "$ref": "#/components/messages/chat" },
                "order": { "$ref": "#/components/messages/order" },
                "status": { "$ref": "#/components/messages/status" },
                "done": { "$ref": "#/components/messages/done" },
                "error": { "$ref": "#/components/messages/error" }
              }
            }
          },
          "operations": {
            "ask": {
              "action": "receive",
              "messages": [{ "$ref": "#/channels/socket/messages/chat" }, { "$ref": "#/channels/socket/messages/order" }],
              "reply": { "messages": [{ "$ref": "#/channels/socket/messages/done" }] }
            },
            "show": { "action": "send", "messages": [{ "$ref": "#/channels/socket/messages/status" }] }
          },
          "components": {
            "securitySchemes": { "bearer": { "type": "http", "scheme": "bearer" } },
            "messages": {
              "chat": { "payload": { "$ref": "schemas/messages/chat.json" } },
              "order": { "payload": { "$ref": "schemas/messages/order.json" } },
              "status": { "payload": { "$ref": "schemas/messages/status.json" } },
              "done": { "payload": { "$ref": "schemas/messages/done.json" } },
              "error": { "payload": { "$ref": "schemas/messages/error.json" } }
            }
          }
        }

        """,
        "states/server.json": """
        { "format": "holdfast-states", "version": 1, "role": "server", "machines": [ { "name": "connection",
          "states": [{ "name": "opened", "means": "no token yet" }],
          "inputs": [{ "name": "ping", "means": "a `ping` at any time" }],
          "conditions": [{ "name": "first", "means": "at first" }],
          "rows": [
          { "state": "opened", "input": "auth", "when": { "if": ["first"] }, "answer": [{ "do": "send", "what": "connected" }], "next": "greeted" },
          { "state": "greeted", "input": "ping", "answer": [{ "do": "send", "what": "pong" }], "next": "greeted" }
        ] } ] }

        """,
        "states/client.json": """
        { "format": "holdfast-states", "version": 1, "role": "client", "machines": [ { "name": "connection",
          "states": [{ "name": "open", "means": "in use" }], "inputs": [{ "name": "quit", "means": "the app ends" }], "conditions": [],
          "rows": [{ "state": "open", "input": "launch", "answer": [{ "do": "open" }], "next": "open" }] } ] }

        """,
        "dialects/old.json": """
        { "name": "old", "summary": "Old.", "profiles": ["core"],
          "socket": { "path": "/ws", "credential": { "in": "frame" } }, "greeting": { "opens": "client" },
          "frames": [
            { "sender": "server", "wire": "delivered", "is": "ack" }, { "sender": "client", "wire": "typing", "ignored": "not here" }
          ],
          "cannotKeep": [{ "clauses": ["TURN-2"], "because": "none" }] }

        """,
        "clauses/TURN.md": """
        # TURN

        ### TURN-1 · server · core
        A server MUST end each turn with exactly one `done` or `error` within 30 s.
        Why: it is the first.
        Judged from: what is seen.
        From: R1. Since: 1.0.

        ### TURN-2 · server · core
        A server MUST name the session in every `done`, `error` and `status` of a turn.
        Why: a client has many.
        Judged from: what is seen.
        From: R1. Since: 1.0.

        ### TURN-3 · server · core
        A server SHOULD keep at least 10 turns.
        Why: people look back.
        Judged from: what is seen.
        From: R1. Since: 1.0.

        ### TURN-4 · server · core
        A server MAY answer `busy` while a turn runs.
        Why: not all queue.
        Judged from: what is seen.
        Excluded: it permits something.
        From: R1. Since: 1.0.

        ### TURN-6 · client · client-core
        A client MUST ask at most 5 questions at once.
        Why: a server has many clients.
        Judged from: what is asked.
        From: R1. Since: 1.0.

        """,
    ]
}
