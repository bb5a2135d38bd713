import { attempt } from '../../tool/async.ts';
import { isJsonObject, type Json } from '../../tool/json.ts';
import type { SessionCredentials } from '../../tool/tool.ts';
import type { WireSession } from './wire/wire.ts';

/** The most characters of what is kept of a session, of which its id is the least part: the rest is what the server said of itself. */
const MAX_KEPT = 16 * 1024;

/** What is known of the session that an earlier invocation had with a server. */
export interface FormerSession {
  /** To be gone on with, if the server still knows it. */
  readonly session?: WireSession | undefined;
  /** A model has called tools in a session that is gone, and was not told so. */
  readonly isLost: boolean;
}

/** Keeps the session that one caller has with one server, for the next invocation. */
export interface SessionKeeper {
  find(): Promise<FormerSession>;
  /**
   * Keeps a session in place of the former one; without a session, there is none any more. `isLost`: a model is still to be told.
   * Answers whether the next invocation can go on with it.
   */
  keep(session: WireSession | undefined, isLost: boolean): Promise<boolean>;
}

/** Of a session of whichever caller, what the model has to do with: that there was one. */
const SOME = 'some';

/**
 * Keeps a session under what it is bound to: `caller` is a digest of the server, and of all by which it knows who speaks. A model
 * knows of no callers: that a session begins anew for another one is a loss to it too.
 */
export function keptSession(
  credentials: SessionCredentials,
  { server, caller }: { readonly server: string; readonly caller: string },
): SessionKeeper {
  const key = `mcp ${server} ${caller}`;
  const keyOfAny = `mcp ${server}`;
  return {
    async find() {
      const found = await credentials.find(key);
      if (found.status === 'none') {
        return { isLost: (await credentials.find(keyOfAny)).status !== 'none' };
      }
      const former = found.status === 'found' ? readFormer(found.value) : undefined;
      return former ?? { isLost: true };
    },
    async keep(session, isLost) {
      const value = session && JSON.stringify({ ...session, isLost });
      if (value === undefined || value.length > MAX_KEPT) {
        await Promise.all([credentials.keep(key, null), credentials.keep(keyOfAny, null)]);
        return false;
      }
      if (!(await credentials.keep(key, value))) return false;
      if ((await credentials.find(keyOfAny)).status === 'none') await credentials.keep(keyOfAny, SOME);
      return true;
    },
  };
}

/** What was kept may be of another version of this code. */
function readFormer(value: string): FormerSession | undefined {
  const parsed = attempt((): Json => JSON.parse(value));
  if (!parsed.ok || !isJsonObject(parsed.value)) return undefined;
  const { id, begun, isLost } = parsed.value;
  if (typeof id !== 'string' || !isJsonObject(begun)) return undefined;
  return { session: { id, begun }, isLost: isLost === true };
}
