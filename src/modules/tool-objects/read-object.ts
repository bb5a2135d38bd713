import { warnOnce } from '../../sources/resolution/nesting.ts';
import { isReadable, nameOf, ownerOf, READS } from '../../tool/object-class.ts';
import { type ObjectReader, type ReadByIts, readObjectsBy } from '../../tool/object-reader.ts';
import { stateFields } from './shared-state.ts';
import { toolsOf } from './tools-of.ts';

/** Marks what makes tools of an object, which can then be listed among others. */
export function marked<Of extends object>(value: Of): Of & ReadByIts {
  readObjectsBy(readObject);
  return Object.defineProperty(value, READS, { value: true }) as Of & ReadByIts; // just marked
}

const readObject: ObjectReader = (given, { isShared }) => {
  const object = typeof given === 'object' || typeof given === 'function' ? given : null;
  if (!object || !isReadable(object)) return undefined;
  if (isShared) warnOfState(object, nameOf(ownerOf(object)));
  return toolsOf(object);
};

/** Tells the developer of an object that sessions share, and that its methods change. */
function warnOfState(object: object, name: string): void {
  const fields = stateFields(object);
  if (fields.length === 0) return;
  warnOnce(
    `holdfast: ${name} keeps ${fields.map((field) => `'${field}'`).join(' and ')} in fields that its methods change: all sessions share ` +
      `that, and it is lost with the Worker. List toolFactory(() => new ${name}()) in its place, which makes one for each ` +
      'invocation, and keep in `call.state` what must survive.',
  );
}
