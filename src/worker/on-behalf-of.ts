/** A caller that sends requests for several persons, such as a backend with one token: which person a request is for. */
import type { Caller } from './host.ts';
import { Problem } from './problem.ts';

/**
 * Returns the id of the person for whom a delegating caller sends a request; `undefined` or `null` if the caller speaks for itself.
 * It reads headers; to read the body, clone the request first.
 */
export type OnBehalfOf = (request: Request) => string | null | undefined | Promise<string | null | undefined>;

/** The setting of the app that names the person. */
interface Delegation {
  readonly onBehalfOf: OnBehalfOf | undefined;
}

/**
 * Returns the caller for whom a request is handled: the person whom a delegating caller names, as `caller/person`, or the caller itself.
 * The person has the tenant, the roles and the claims of the caller. Headers of a caller that does not delegate change nothing.
 *
 * @throws Problem 400 `invalid-person` if the person's id cannot be one; Error if `auth` and `onBehalfOf` contradict each other.
 */
export async function speakerOf(
  { onBehalfOf }: Delegation,
  caller: Caller,
  request: Request,
): Promise<Caller> {
  const { id, delegates } = caller;
  if (onBehalfOf === undefined) {
    if (delegates) throw new Error(NO_FUNCTION);
    return caller;
  }
  // Any caller: otherwise `app/ann` could be a caller, and the person `ann` of the caller `app`.
  if (id.includes('/')) throw new Error(HAS_SLASH);
  if (!delegates) return caller;
  const person: unknown = await onBehalfOf(request);
  if (person === undefined || person === null) return caller;
  if (typeof person !== 'string') {
    throw new Error(
      '`onBehalfOf` returned a value that is not a string. Return the id of a person, or undefined.',
    );
  }
  if (person.trim() === '' || person.length > 255 || UNPRINTABLE.test(person)) {
    throw new Problem('invalid-person', INVALID);
  }
  return { ...caller, id: `${id}/${person}`, delegates: false };
}

const UNPRINTABLE = /[\p{Cc}\p{Cs}]/u;

/** At most 255 characters, as the `sub` of OpenID Connect: the id is part of the name of an object. It is not repeated: a client sent it. */
const INVALID =
  'The id of the person for whom this request is sent must have 1 to 255 characters, not blanks alone, and no control characters.';

const NO_FUNCTION = '`auth` returned a caller with `delegates: true`. Pass `onBehalfOf` to createHoldfast.';

const HAS_SLASH =
  "`auth` returned a caller whose id has a '/', which separates a caller from the person for whom it acts. Return an id without it.";
