/** The access of operators to sessions of other owners, for modules that allow it. */
import type { Owner } from '../tool/call-origin.ts';
import { findOwnerProblem } from '../tool/owner.ts';
import { parseOwnerKey, toOwnerKey } from '../tool/owner-name.ts';
import { describeValue } from '../tool/shown.ts';
import { createRoleRequiredError } from './auth.ts';
import type { Caller } from './host.ts';
import { SessionError } from './problem.ts';
import { getOwner } from './target.ts';

/** @throws SessionError `role-required` if the caller is not an operator. */
export function assertOperator({ operator }: Caller): void {
  if (operator === true) return;
  throw createRoleRequiredError(
    'Only operators may do this: callers for whom `auth` returns operator: true.',
    {
      role: 'operator',
    },
  );
}

/** Parses an owner from a path or query. @throws SessionError if it is invalid. */
export function parseOwner(key: string): Owner {
  const owner = parseOwnerKey(key);
  if (owner) return owner;
  throw new SessionError(
    'invalid-query',
    `The owner must have the form id:CALLER or tenant:TENANT, but is ${describeValue(key)}.`,
  );
}

/**
 * Returns the owner in a query, or `undefined` for the caller's own sessions.
 *
 * @throws SessionError if the name is invalid, or another owner is requested by a caller who is not an
 * operator.
 */
export function getRequestedOwner(caller: Caller, named: unknown): Owner | undefined {
  if (named === undefined || named === toOwnerKey(getOwner(caller))) return undefined;
  assertOperator(caller);
  return parseOwner(String(named));
}

/**
 * Checks and returns an owner that the app's code has passed. @throws SessionError `invalid-query` if it is
 * invalid.
 */
export function validateOwner(owner: Owner): Owner {
  const problem = findOwnerProblem(owner);
  if (problem !== undefined) throw new SessionError('invalid-query', `The owner ${problem}.`);
  return owner;
}
