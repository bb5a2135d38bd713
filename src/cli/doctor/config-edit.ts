/** A value of a configuration, as JSON. */
export type ConfigValue =
  | string
  | number
  | boolean
  | readonly ConfigValue[]
  | { readonly [key: string]: ConfigValue };

/** A change of wrangler's configuration, at a path. */
export type ConfigEdit =
  /** Sets a value, and creates the tables above it. */
  | { readonly op: 'set'; readonly path: readonly string[]; readonly value: ConfigValue }
  /** Adds an element to a list, which is created if it is missing. */
  | { readonly op: 'append'; readonly path: readonly string[]; readonly value: ConfigValue }
  | { readonly op: 'remove'; readonly path: readonly string[] };

/** Thrown if the text has a form that cannot be changed safely. The message says where. */
export class EditError extends Error {
  override readonly name = 'EditError';
}
