import type { EventOf } from '../journal/events.ts';
import type { Json } from '../tool/json.ts';
import type { ModuleIdentity } from '../tool/module-use.ts';
import { factOf, type ToolMemory } from '../tool/tool-memory.ts';
import { inLoop, type Loop, timeIn } from './loop.ts';
import { throughJson } from './tool-answer.ts';

/** A fact of a module, and the memory that it is for. */
interface Recorded<Value extends Json, Fact extends Json> {
  readonly memory: ToolMemory<Value, Fact>;
  readonly fact: Fact;
}

/** The event by which a module records a fact beside the end of a call, without secrets. @throws TypeError if the fact is not JSON. */
export function factEvent<Value extends Json, Fact extends Json>(
  loop: Loop,
  { name }: Pick<ModuleIdentity, 'name'>,
  { memory, fact }: Recorded<Value, Fact>,
): EventOf<'module-event'> {
  loop.memories.assertUsable(memory);
  const kept = loop.secrets.redact(throughJson(`a fact of '${memory.name}'`, fact));
  const { name: slice, unread } = memory;
  const facts = [{ ...factOf<Json, Json>({ name: slice, unread }, kept), at: timeIn(loop) }];
  return { type: 'module-event', ...inLoop(loop), module: name, facts };
}
