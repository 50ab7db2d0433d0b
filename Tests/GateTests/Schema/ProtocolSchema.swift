import HoldfastJSON

/// A protocol as other systems write theirs: one schema with an alternative for each kind of message.
enum ProtocolSchema {
    /// Kinds that share an envelope by `allOf`, closed by `unevaluatedProperties`.
    static func composed() throws -> JSONValue { try JSONParser.value(text) }

    /// The same, each kind written out and closed by `additionalProperties`.
    static func flat() throws -> JSONValue {
        var schema = try composed()
        let envelope = schema[def: "envelope"]
        for (name, value) in schema["$defs"]?.objectValue ?? [:] where value["unevaluatedProperties"] != nil {
            var kind = value
            kind["allOf"] = nil
            kind["unevaluatedProperties"] = nil
            for (member, value) in envelope?["properties"]?.objectValue ?? [:] { kind["properties"]?[member] = value }
            for member in envelope?["required"]?.arrayValue ?? [] { kind["required"]?.append(member) }
            kind["additionalProperties"] = false
            schema[def: name] = kind
        }
        return schema
    }

    private static let text = #"""
        {
          "$schema": "https://json-schema.org/draft/2020-12/schema",
          "$id": "https://protocol.example/one.json",
          "type": "object",
          "required": ["type"],
          "oneOf": [
            { "$ref": "#/$defs/chat" }, { "$ref": "#/$defs/done" }, { "$ref": "#/$defs/error" }, { "$ref": "#/$defs/sync" },
            { "$ref": "#/$defs/syncResult" }, { "$ref": "#/$defs/rateLimit" }, { "$ref": "#/$defs/push" }
          ],
          "$defs": {
            "key": { "type": "string", "minLength": 36, "maxLength": 36, "pattern": "^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$" },
            "timestamp": { "type": "string", "pattern": "^[0-9]{4}(-[0-9]{2}){2}T[0-9]{2}(:[0-9]{2}){2}Z$" },
            "role": { "enum": ["user", "assistant", "system", "tool"] },
            "cursor": { "type": "string", "pattern": "^[A-Za-z0-9_-]{1,64}$" },
            "usage": {
              "type": "object",
              "properties": {
                "inputTokens": { "type": "integer", "minimum": 0 },
                "outputTokens": { "type": "integer", "minimum": 0 },
                "cacheReadTokens": { "type": "integer", "minimum": 0 }
              },
              "required": ["inputTokens", "outputTokens"],
              "additionalProperties": false
            },
            "file": {
              "type": "object",
              "properties": {
                "kind": { "enum": ["image", "file"] },
                "url": { "type": "string", "pattern": "^https?://", "maxLength": 2048 },
                "mime": { "type": "string", "pattern": "^[a-z]+/[a-z0-9.+-]+$" }
              },
              "required": ["kind", "url"],
              "additionalProperties": false
            },
            "stored": {
              "type": "object",
              "properties": {
                "id": { "$ref": "#/$defs/key" },
                "role": { "$ref": "#/$defs/role" },
                "text": { "type": "string", "maxLength": 65536 },
                "ts": { "$ref": "#/$defs/timestamp" },
                "editedAt": { "anyOf": [{ "$ref": "#/$defs/timestamp" }, { "type": "null" }] },
                "files": { "type": "array", "items": { "$ref": "#/$defs/file" }, "maxItems": 16 }
              },
              "required": ["id", "role", "text", "ts"],
              "additionalProperties": false
            },
            "envelope": {
              "type": "object",
              "properties": {
                "v": { "const": 1 },
                "id": { "$ref": "#/$defs/key" },
                "seq": { "type": "integer", "minimum": 0 },
                "ts": { "$ref": "#/$defs/timestamp" }
              },
              "required": ["v", "id", "ts"]
            },
            "chat": {
              "type": "object",
              "allOf": [{ "$ref": "#/$defs/envelope" }],
              "properties": {
                "type": { "const": "chat" },
                "text": { "type": "string", "minLength": 1, "maxLength": 32768 },
                "replyTo": { "$ref": "#/$defs/key" },
                "files": { "type": "array", "items": { "$ref": "#/$defs/file" }, "maxItems": 16, "uniqueItems": true },
                "mode": { "enum": ["default", "plan", "fast"] }
              },
              "required": ["type", "text"],
              "unevaluatedProperties": false
            },
            "done": {
              "type": "object",
              "allOf": [{ "$ref": "#/$defs/envelope" }],
              "properties": {
                "type": { "const": "done" },
                "text": { "type": "string", "maxLength": 65536 },
                "stopReason": { "enum": ["endTurn", "maxTokens", "toolUse", "cancelled"] },
                "usage": { "$ref": "#/$defs/usage" },
                "durationMs": { "type": "number", "minimum": 0 }
              },
              "required": ["type", "text", "stopReason"],
              "unevaluatedProperties": false
            },
            "error": {
              "type": "object",
              "allOf": [{ "$ref": "#/$defs/envelope" }],
              "properties": {
                "type": { "const": "error" },
                "code": { "enum": ["bad_request", "rate_limited", "internal"] },
                "message": { "type": "string", "minLength": 1, "maxLength": 1024 },
                "retryable": { "type": "boolean" },
                "details": { "type": "object", "additionalProperties": { "type": ["string", "number", "boolean", "null"] } }
              },
              "required": ["type", "code", "message"],
              "unevaluatedProperties": false
            },
            "sync": {
              "type": "object",
              "allOf": [{ "$ref": "#/$defs/envelope" }],
              "properties": {
                "type": { "const": "sync" },
                "since": { "$ref": "#/$defs/cursor" },
                "limit": { "type": "integer", "minimum": 1, "maximum": 500 },
                "sessions": { "type": "array", "items": { "$ref": "#/$defs/key" }, "maxItems": 100, "uniqueItems": true }
              },
              "required": ["type", "since"],
              "unevaluatedProperties": false
            },
            "syncResult": {
              "type": "object",
              "allOf": [{ "$ref": "#/$defs/envelope" }],
              "properties": {
                "type": { "const": "syncResult" },
                "cursor": { "$ref": "#/$defs/cursor" },
                "messages": { "type": "array", "items": { "$ref": "#/$defs/stored" }, "maxItems": 500 }
              },
              "required": ["type", "cursor", "messages"],
              "unevaluatedProperties": false
            },
            "rateLimit": {
              "type": "object",
              "allOf": [{ "$ref": "#/$defs/envelope" }],
              "properties": {
                "type": { "const": "rateLimit" },
                "remaining": { "type": "integer", "minimum": 0 },
                "resetAt": { "$ref": "#/$defs/timestamp" },
                "utilization": { "type": "number", "minimum": 0, "maximum": 1 }
              },
              "required": ["type", "remaining", "resetAt"],
              "unevaluatedProperties": false
            },
            "push": {
              "type": "object",
              "allOf": [{ "$ref": "#/$defs/envelope" }],
              "properties": {
                "type": { "const": "push" },
                "title": { "type": "string", "minLength": 1, "maxLength": 120 },
                "body": { "type": "string", "maxLength": 512 },
                "badge": { "type": "integer", "minimum": 0 },
                "category": { "enum": ["message", "mention", "task"] },
                "data": { "type": "object", "additionalProperties": { "type": "string", "maxLength": 1024 } }
              },
              "required": ["type", "title", "category"],
              "unevaluatedProperties": false
            }
          }
        }
        """#
}
