import type { AnyTool } from '../../../../src/index.ts';
import type { InjectionStrategy } from '../../../../src/kinds/entry.ts';
import type { ToolMemory } from '../../../../src/module.ts';
import { type ScriptedReply, scriptedModel } from '../../../../src/testing/entry.ts';
import { createMemoryLoop, runForOutput } from '../../../doors/loop.ts';
import { collectUses } from '../../../doors/tools.ts';

interface BareLoopOptions {
  readonly tools: readonly AnyTool[];
  readonly replies: readonly ScriptedReply[];
  readonly memories?: readonly ToolMemory[];
  readonly strategies?: readonly InjectionStrategy[];
  /** The strategies of every loop. If the outer loop has `strategies`, it uses only those. */
  readonly everywhere?: readonly InjectionStrategy[];
}

/** Runs a loop without a session. Its events are folded but not stored. */
export async function runBare({ replies, ...config }: BareLoopOptions) {
  const model = scriptedModel(replies);
  const uses = collectUses([...(config.strategies ?? []), ...(config.everywhere ?? [])]);
  const { loop, state } = createMemoryLoop({ ...config, uses, model, message: 'Go.', inSession: true });
  const end = await runForOutput(loop);
  return { end, state, model, offered: model.requests.map(({ tools }) => tools.map(({ name }) => name)) };
}
