/** A caller that sends requests for several persons, such as a backend with one token: which person a request is for. */
import { ConfigurationError } from '../../model/configuration-error.ts';
import { createModule, type ModuleUse, useOf } from '../../tool/module-use.ts';
import { APP } from '../../worker/app-seam.ts';
import type { Caller } from '../../worker/host.ts';
import { Problem } from '../../worker/problem.ts';

/**
 * Returns the id of the person for whom a delegating caller sends a request; `undefined` or `null` if the caller speaks for itself.
 * It reads headers; to read the body, clone the request first.
 */
export type OnBehalfOf = (request: Request) => string | null | undefined | Promise<string | null | undefined>;

/**
 * Names the person for whom a request is sent. The function is called after `auth`, and only for a caller that `auth` answered with
 * `delegates: true`: headers of any other caller change nothing. The principal is then `caller/person`, with the tenant, the roles and the claims of the
 * caller; sessions, `secrets` and idempotency keys are those of the person. An id has 1 to 255 characters and no control characters; otherwise the
 * request is refused with 400 `invalid-person`. In such an app no id of a caller may contain a `/`.
 *
 * @throws ConfigurationError if it is no function.
 *
 * @example
 * ```ts
 * const use = [onBehalfOf((request) => request.headers.get('x-user-id'))]; // of createHoldfast({ agents, auth, use })
 * ```
 */
export function onBehalfOf(personOf: OnBehalfOf): ModuleUse {
  // Callers without types may give anything.
  if (typeof personOf !== 'function')
    throw new ConfigurationError('onBehalfOf takes a function that returns the id of a person.');
  const use = useOf(ON_BEHALF_OF);
  APP.give(use, { caller: (caller, request) => speakerOf(personOf, caller, request) });
  return use;
}

const ON_BEHALF_OF = createModule({ name: 'on-behalf-of' });

/**
 * Returns the caller for whom a request is handled: the person whom a delegating caller names, as `caller/person`, or the caller itself.
 *
 * @throws Problem 400 `invalid-person` if the person's id cannot be one; Error if `auth` or the function returns something else than it may.
 */
async function speakerOf(personOf: OnBehalfOf, caller: Caller, request: Request): Promise<Caller> {
  const { id, delegates } = caller;
  // Any caller: otherwise `app/ann` could be a caller, and the person `ann` of the caller `app`.
  if (id.includes('/')) throw new Error(HAS_SLASH);
  if (!delegates) return caller;
  const person: unknown = await personOf(request);
  if (person === undefined || person === null) return caller;
  if (typeof person !== 'string') {
    throw new Error(
      '`onBehalfOf` returned a value that is not a string. Return the id of a person, or undefined.',
    );
  }
  if (person.trim() === '' || person.length > 255 || UNPRINTABLE.test(person)) {
    throw new Problem('invalid-person', INVALID);
  }
  return { ...caller, id: `${id}/${person}`, delegates: false, ...(caller.operator && { operator: false }) };
}

const UNPRINTABLE = /[\p{Cc}\p{Cs}]/u;

/** At most 255 characters, as the `sub` of OpenID Connect: the id is part of the name of an object. It is not repeated: a client sent it. */
const INVALID =
  'The id of the person for whom this request is sent must have 1 to 255 characters, not blanks alone, and no control characters.';

const HAS_SLASH =
  "`auth` returned a caller whose id has a '/', which separates a caller from the person for whom it acts. Return an id without it.";
