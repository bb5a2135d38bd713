import { toRow } from '../journal/event-rows.ts';
import type { PostOutcome } from '../journal/inbox-message.ts';
import type { SessionPort } from '../journal/session-port.ts';
import { copyThroughJson } from '../loop/tool-answer.ts';
import type { Json } from '../tool/json.ts';
import type { ModuleIdentity } from '../tool/module-use.ts';
import { createFact, type ToolMemory } from '../tool/tool-memory.ts';

/** A fact that a module records outside the turns of a session. */
export interface RecordedFact<Value extends Json, Fact extends Json> {
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
export async function recordFact<Value extends Json, Fact extends Json>(
  port: Pick<SessionPort, 'post'>,
  { name }: Pick<ModuleIdentity, 'name'>,
  { turn, memory, fact, at }: RecordedFact<Value, Fact>,
): Promise<PostOutcome> {
  const { name: slice, unread } = memory;
  const kept = copyThroughJson(`a fact of '${slice}'`, fact);
  const facts = [{ ...createFact<Json, Json>({ name: slice, unread }, kept), at }];
  const { body } = toRow({ type: 'module-event', turn, module: name, facts });
  return port.post({ kind: 'note', turn, body });
}
