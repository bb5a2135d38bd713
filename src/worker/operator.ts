/** What operators may do with the sessions of other owners, for the modules that let them. */
import type { Owner } from '../tool/call-origin.ts';
import { keyOfOwner, ownerOfKey } from '../tool/owner-name.ts';
import { shown } from '../tool/shown.ts';
import { roleRequired } from './auth.ts';
import type { Caller } from './host.ts';
import { SessionError } from './problem.ts';
import { ownerOf } from './target.ts';

/** The name of the module by which journals know accesses of operators. */
export const OPERATORS = 'operators';

/** @throws SessionError if the caller is no operator. */
export function mustOperate({ operator }: Caller): void {
  if (operator === true) return;
  throw roleRequired('Only operators may do this: callers for whom `auth` returns operator: true.', {
    role: 'operator',
  });
}

/** Reads an owner as paths and queries name it. @throws SessionError if it is none. */
export function readOwner(key: string): Owner {
  const owner = ownerOfKey(key);
  if (owner) return owner;
  throw new SessionError(
    'invalid-query',
    `An owner is id: and the id of a caller, or tenant: and a tenant; it is ${shown(key)}.`,
  );
}

/**
 * Returns the owner that a query names, or `undefined` if the caller's own sessions are meant.
 *
 * @throws SessionError if another owner is named by a caller who is no operator, or the name is no owner.
 */
export function ownerAsked(caller: Caller, named: unknown): Owner | undefined {
  if (named === undefined || named === keyOfOwner(ownerOf(caller))) return undefined;
  mustOperate(caller);
  return readOwner(String(named));
}
