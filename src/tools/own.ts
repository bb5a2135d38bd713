/** What an object holds under a name that may come from a model: nothing that it inherits. */
export const own = <Value>(values: { readonly [name: string]: Value }, name: string): Value | undefined =>
  Object.hasOwn(values, name) ? values[name] : undefined;
