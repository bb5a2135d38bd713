import type { StateSlice } from '../../src/journal/state.ts';
import { type ScriptedReply, scriptedModel } from '../../src/testing/scripted-model.ts';
import { memoryLoop } from '../../src/tool-loop/memory-loop.ts';
import type { InjectionStrategy } from '../../src/tools/injection.ts';
import type { AnyTool } from '../../src/tools/tool.ts';

interface Options {
  readonly tools: readonly AnyTool[];
  readonly replies: readonly ScriptedReply[];
  readonly slices?: readonly StateSlice[];
  readonly strategies?: readonly InjectionStrategy[];
  /** Of every loop; the outer one has only its own strategies when it is given some. */
  readonly kinds?: readonly InjectionStrategy[];
}

/** A loop without a session around it: what it emits is folded and forgotten. */
export async function runBare({ replies, ...config }: Options) {
  const model = scriptedModel(replies);
  const { loop, frame, state } = memoryLoop({ ...config, model, message: 'Go.', inSession: true });
  const end = await loop.run(loop, frame);
  return { end, state, model, offered: model.requests.map(({ tools }) => tools.map(({ name }) => name)) };
}
