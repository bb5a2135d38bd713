/** Callers that send requests on behalf of several people, such as a backend with one token. */
import { ConfigurationError } from '../../model/configuration-error.ts';
import { createModule, createUse, type ModuleUse } from '../../tool/module-use.ts';
import { APP } from '../../worker/app-seam.ts';
import type { Caller } from '../../worker/host.ts';
import { Problem } from '../../worker/problem.ts';

/**
 * Returns the id of the person for whom a delegating caller sends a request, or `undefined` or `null` if the
 * caller acts on its own behalf. The function can read headers. To read the body, clone the request first.
 */
export type OnBehalfOf = (request: Request) => string | null | undefined | Promise<string | null | undefined>;

/**
 * Sets the person for whom a request is sent. The function runs after `auth`, and only if `auth` returned the
 * caller with `delegates: true`. Headers of other callers have no effect. The principal is then
 * `caller/person`, with the caller's tenant, roles and claims. Sessions, `secrets` and idempotency keys are
 * those of the person. An id has 1 to 255 characters and no control characters. Otherwise the request returns
 * 400 `invalid-person`. In such an app, ids of callers must not contain a `/`.
 *
 * @throws ConfigurationError if `personOf` is not a function.
 *
 * @example
 * ```ts
 * const use = [onBehalfOf((request) => request.headers.get('x-user-id'))]; // of createHoldfast({ agents, auth, use })
 * ```
 */
export function onBehalfOf(personOf: OnBehalfOf): ModuleUse {
  // Callers without types can pass any value.
  if (typeof personOf !== 'function')
    throw new ConfigurationError('onBehalfOf must receive a function that returns the id of a person.');
  const use = createUse(ON_BEHALF_OF_MODULE);
  APP.give(use, { caller: (caller, request) => resolveSpeaker(personOf, caller, request) });
  return use;
}

const ON_BEHALF_OF_MODULE = createModule({ name: 'on-behalf-of' });

/**
 * Returns the caller for whom a request is handled: `caller/person` if a delegating caller names a person,
 * and otherwise the caller itself.
 *
 * @throws Problem 400 `invalid-person` if the person's id is invalid.
 * @throws Error if `auth` or the function returns an invalid value.
 */
async function resolveSpeaker(personOf: OnBehalfOf, caller: Caller, request: Request): Promise<Caller> {
  const { id, delegates } = caller;
  // Applies to every caller. Otherwise, `app/ann` could be a caller or the person `ann` of the caller `app`.
  if (id.includes('/')) throw new Error(SLASH_MESSAGE);
  if (!delegates) return caller;
  const person: unknown = await personOf(request);
  if (person === undefined || person === null) return caller;
  if (typeof person !== 'string') {
    throw new Error(
      '`onBehalfOf` returned a value that is not a string. Return the id of a person, or undefined.',
    );
  }
  if (person.trim() === '' || person.length > 255 || UNPRINTABLE_CHARACTER.test(person)) {
    throw new Problem('invalid-person', INVALID_ID_MESSAGE);
  }
  return { ...caller, id: `${id}/${person}`, delegates: false, ...(caller.operator && { operator: false }) };
}

const UNPRINTABLE_CHARACTER = /[\p{Cc}\p{Cs}]/u;

/**
 * The limit of 255 characters is that of `sub` in OpenID Connect. The id is part of an object's name. The
 * message does not quote the id, because a client sent it.
 */
const INVALID_ID_MESSAGE =
  'The id of the person for whom this request is sent must have 1 to 255 characters, not only blanks, and no control characters.';

const SLASH_MESSAGE =
  "`auth` returned a caller whose id has a '/', which separates a caller from the person for whom it acts. Return an id without it.";
