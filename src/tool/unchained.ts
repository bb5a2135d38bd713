import { attempt } from './async.ts';
import { isReadable, nameOf, ownerOf, unreadable } from './object-class.ts';

/** Returns what is wrong if a tool answers an object whose methods are tools, or a list of such, or `undefined`. */
export function unchainedProblem(tool: string, answered: unknown): string | undefined {
  const values: readonly unknown[] = Array.isArray(answered) ? answered.slice(0, MAX_LOOKED_AT) : [answered];
  const object = values.find((one) => typeof one === 'object' && one !== null && hasTools(one));
  if (object === undefined) return undefined;
  const name = nameOf(ownerOf(Object(object)));
  return (
    `Tool '${tool}' returned an object of ${name}, whose methods are tools. They are not offered, since it is kept as JSON. To chain it, ` +
    `declare its type: defineDomainType({ name: '${name}', schema, tools: (value) => toolsOf(new ${name}(value)) }). ` +
    `Name that as the 'output' of '${tool}', and chain it with chainFrom of 'holdfast/kinds'.`
  );
}

/** Of a long list, so many are looked at. */
const MAX_LOOKED_AT = 10;

/** Tells an object of a class with tools; bytes have a property for each. */
function hasTools(object: object): boolean {
  if (ArrayBuffer.isView(object)) return false;
  const isDeclared = (): boolean => isReadable(object) || unreadable(object) !== undefined;
  const found = attempt(() => ownerOf(object) !== object && isDeclared());
  return found.ok && found.value;
}
