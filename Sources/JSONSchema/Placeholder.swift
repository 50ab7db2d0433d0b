// JSONSchema
