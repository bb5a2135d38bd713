/** A JSON Schema whose root is an object, as the model is shown it. */
export type JsonSchema = Readonly<Record<string, unknown>>;
