/** Checks that a model can send what a schema asks for. Runs in development only: other files reach it through `literals.ts`. */

/** Options by which converters to JSON Schema refuse what no JSON value belongs to. Zod refuses it unasked. */
export const refusing = {
  /** Of Valibot's converter, which would show it as anything. */
  valibot: {
    overrideSchema: ({ valibotSchema: { type } }: { readonly valibotSchema: { readonly type: string } }) =>
      UNSENDABLE.has(type) ? refuse(type) : undefined,
  },
  /** Of ArkType. */
  arktype: {
    fallback: {
      proto: ({ proto }: { readonly proto: { readonly name: string } }) => refuse(proto.name),
      domain: ({ domain }: { readonly domain: string }) => refuse(domain),
      date: () => refuse('Date'),
    },
  },
};

const UNSENDABLE = new Set([
  ...['function', 'promise', 'instance', 'symbol', 'bigint'],
  ...['map', 'set', 'date', 'blob', 'file'],
]);

function refuse(type: string): never {
  throw new Error(`a model cannot send a value of the type '${type}'`);
}

/** Returns what is wrong with a value that is no schema of an object, to follow "its input ". */
export const noSchema = (declared: unknown): string =>
  typeof Object(declared).type === 'string'
    ? "is a plain JSON Schema. Wrap it: jsonSchema({ ... }), with jsonSchema from 'holdfast/json-schema'."
    : 'must be an object schema, since a model sends a JSON object: v.object({ ... }), z.object({ ... }), ' +
      "or jsonSchema({ type: 'object', ... }). Put anything else into a property.";

/** What can be converted, to end an error about a schema that cannot. */
export const convertible =
  " Use Valibot, Zod 4 (import from 'zod', not 'zod/mini'), ArkType, or jsonSchema() of 'holdfast/json-schema'.";
