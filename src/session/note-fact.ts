import { toRow } from '../journal/event-rows.ts';
import type { Posted } from '../journal/inbox-message.ts';
import type { SessionPort } from '../journal/session-port.ts';
import { throughJson } from '../loop/tool-answer.ts';
import type { Json } from '../tool/json.ts';
import type { ModuleIdentity } from '../tool/module-use.ts';
import { factOf, type ToolMemory } from '../tool/tool-memory.ts';

/** A fact that a module records outside the turns of a session. */
export interface NotedFact<Value extends Json, Fact extends Json> {
  /** The turn that the fact belongs to. It may have ended. */
  readonly turn: string;
  /** A memory of scope `session`, since an ended turn has no loops. */
  readonly memory: Pick<ToolMemory<Value, Fact>, 'name' | 'unread'>;
  readonly fact: Fact;
  /** The time of the fact, in ms since the epoch. */
  readonly at: number;
}

/**
 * Records a fact of a module in a session, as a `module-event` of the turn: at once, or as soon as the
 * running turn has stopped. Resolves with `posted` once the fact is stored. Otherwise resolves with the
 * reason: `no-such-turn` or `session-full`.
 *
 * @throws Error if the fact is not JSON.
 */
export async function noteFact<Value extends Json, Fact extends Json>(
  port: Pick<SessionPort, 'post'>,
  { name }: Pick<ModuleIdentity, 'name'>,
  { turn, memory, fact, at }: NotedFact<Value, Fact>,
): Promise<Posted> {
  const { name: slice, unread } = memory;
  const kept = throughJson(`a fact of '${slice}'`, fact);
  const facts = [{ ...factOf<Json, Json>({ name: slice, unread }, kept), at }];
  const { body } = toRow({ type: 'module-event', turn, module: name, facts });
  return port.post({ kind: 'note', turn, body });
}
