/** What a client may call a session. */
export const SESSION_ID = /^[A-Za-z0-9_.:@-]{1,128}$/;

/** The same in words. */
export const SESSION_ID_RULE = '1 to 128 of the characters A-Z a-z 0-9 _ . : @ -';

/** What names a session: two owners' `s1` never meet. */
export interface SessionAddress {
  /** The principal's tenant, or its id. */
  readonly owner: string;
  readonly agent: string;
  readonly session: string;
}

/** The name of the session's object. */
export const toSessionName = ({ owner, agent, session }: SessionAddress): string =>
  JSON.stringify([owner, agent, session]);

/** The address in an object's name. @throws Error when the name was not made by `toSessionName`. */
export function parseSessionName(name: string): SessionAddress {
  const parts: unknown = JSON.parse(name);
  const [owner, agent, session] = Array.isArray(parts) ? parts : [];
  if (typeof owner !== 'string' || typeof agent !== 'string' || typeof session !== 'string') {
    throw new Error(`'${name}' does not name a session.`);
  }
  return { owner, agent, session };
}
