import { env } from 'cloudflare:workers';
import {
  type Caller,
  createHoldfast,
  type Holdfast,
  type Session,
  SessionError,
  type SessionErrorType,
  sessionOf,
} from '../../../../src/create-holdfast.ts';
import { clerk } from '../../../fixtures/clerk-agent.ts';
import { marathon, scripted } from '../../../fixtures/scripted-agent.ts';
import { type AppConfig, withLog } from '../http/app.ts';
import { createSessionPath, getSessionId } from '../http/client.ts';

/** An app over the objects of the tests' Worker, which resumes its turns. */
export const createCodeApp = (config: AppConfig = {}): Holdfast =>
  createHoldfast({ agents: [scripted, clerk, marathon], ...withLog(config) });

const holdfast = createCodeApp();

/** The caller that the tests' Worker sees over HTTP. */
export const LOCAL_CALLER: Caller = { id: 'local' };

/** Returns the session at this path, for use from code. */
export const openSession = (path: string, principal = LOCAL_CALLER, app = holdfast): Session =>
  sessionOf(app, env, { agent: path.split('/')[2] ?? '', session: getSessionId(path), principal });

/** Returns an unused session: its path, and its object for code. */
export function openNewSession(agent?: string): { readonly path: string; readonly chat: Session } {
  const path = createSessionPath(agent);
  return { path, chat: openSession(path) };
}

/** All data of a SessionError. */
export interface Refusal {
  readonly type: SessionErrorType;
  readonly message: string;
  readonly retryAfter: number | undefined;
  readonly more: Readonly<Record<string, unknown>>;
}

/** Returns the refusal that the work throws. */
export async function catchRefusal(work: Promise<unknown>): Promise<Refusal> {
  const failure = await work.then(
    () => 'nothing',
    (thrown: unknown) => thrown,
  );
  if (!(failure instanceof SessionError))
    throw new Error('The call did not throw a SessionError.', { cause: failure });
  const { type, message, retryAfter, more } = failure;
  return { type, message, retryAfter, more };
}

export const createRefusal = (
  type: SessionErrorType,
  message: string,
  { retryAfter, more = {} }: Partial<Pick<Refusal, 'retryAfter' | 'more'>> = {},
): Refusal => ({ type, message, retryAfter, more });

/** Collects all items of an iterator. */
export async function collect<T>(items: AsyncIterable<T>): Promise<T[]> {
  const list: T[] = [];
  for await (const item of items) list.push(item);
  return list;
}

/** Replaces the parts of a JSON value that differ between sessions: ids, hashes, script keys and times. */
export const withoutIds = (value: unknown): unknown =>
  JSON.parse(
    JSON.stringify(value)
      .replaceAll(/\b[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}\b/g, 'uuid')
      .replaceAll(/\b[0-9a-f]{64}\b/g, 'hash')
      .replaceAll(/\b[0-9a-f]{16}\b/g, 'id')
      .replaceAll(/"(at|ms|expiresAt)":\d+/g, '"$1":0'),
  );
