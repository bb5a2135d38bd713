import { warnOnce } from '../../sources/resolution/nesting.ts';
import { nameOf, ownerOf } from '../../tool/object-class.ts';
import type { ObjectReader } from '../../tool/object-reader.ts';
import { stateFields } from './shared-state.ts';
import { toolsOf } from './tools-of.ts';

/** Reads the tools of an object, or of a class, that is listed among others. */
export const readObject: ObjectReader = (object, { isShared }) => {
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
