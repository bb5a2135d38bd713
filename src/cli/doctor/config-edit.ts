/** A value of a configuration, as JSON. */
export type ConfigValue =
  | string
  | number
  | boolean
  | readonly ConfigValue[]
  | { readonly [key: string]: ConfigValue };

/** A change of a configuration of wrangler, by the path of what is changed. */
export type ConfigEdit =
  /** Sets a value, and creates the tables above it. */
  | { readonly op: 'set'; readonly path: readonly string[]; readonly value: ConfigValue }
  /** Adds an element to a list, which is created if it is missing. */
  | { readonly op: 'append'; readonly path: readonly string[]; readonly value: ConfigValue }
  | { readonly op: 'remove'; readonly path: readonly string[] };

/** The text is written in a way that cannot be changed safely; the message says where. */
export class EditError extends Error {
  override readonly name = 'EditError';
}
