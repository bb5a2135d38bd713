import { checkWord, ToolDefinitionError } from '../../tool/check-definition.ts';
import { adopting, decorate, opensTools } from '../../tool/decorate.ts';
import type { AnyTool, OpeningTool, ToolInput } from '../../tool/tool.ts';
import { withheld } from '../../tool/tool-result.ts';

/**
 * What the guard of an unfolding tool guards. `tools`: every call of a tool behind it, at whatever depth, and to open it takes
 * nobody's leave. `opening`: each call of the unfolding tool itself, and nothing that comes out of it.
 */
export type Covers = 'tools' | 'opening';

/** The option of guards that only unfolding tools have: any other tool is guarded itself. */
export interface CoversOption<T extends AnyTool, C extends Covers> {
  /** What the guard of an unfolding tool guards; `tools` unless given. */
  readonly covers?: CoversOf<T, C> | undefined;
}

/** A tool whose types were erased may be an unfolding tool; that is looked at when the guard is made. */
type CoversOf<T extends AnyTool, C extends Covers> = T extends OpeningTool
  ? C
  : AnyTool extends T
    ? C
    : never;

/** The checked input of a call that is guarded: of the tool itself, or of tools behind it, whose types nobody knows. */
export type GuardedInput<T extends AnyTool, C extends Covers> = T extends OpeningTool
  ? 'tools' extends C
    ? unknown
    : ToolInput<T>
  : ToolInput<T>;

/** The tool whose call is guarded: the one that was given, or one behind it. */
export type GuardedTool<T extends AnyTool> = T extends OpeningTool ? AnyTool : T;

/** Makes the call of a guarded tool, which lets the tool's own call through or answers in its place. */
type Guard = (guarded: AnyTool) => AnyTool['call'];

/**
 * The tool, whose calls are guarded; of an unfolding tool those of the tools behind it, unless `covers` says otherwise. Of two
 * guards both hold, the outer one first. What an agentic tool calls inside of its own loop is part of its one call.
 *
 * @throws ToolDefinitionError when `covers` is given for what is no unfolding tool, or a tool behind it is run by the model's
 *   provider, which nothing can hold back.
 */
export function withGuard<T extends AnyTool>(tool: T, covers: Covers | undefined, guard: Guard): T {
  checkWord(tool.name, { covers }, ['tools', 'opening']);
  const isUnfolding = opensTools(tool);
  if (covers !== undefined && !isUnfolding) {
    throw new ToolDefinitionError(
      tool.name,
      'covers',
      `its guard covers '${covers}', and only an unfolding tool has tools behind it: leave covers out.`,
    );
  }
  if (!isUnfolding || covers === 'opening') return decorate(tool, { call: guard(tool) });
  checkInside(tool.name, tool);
  return guardedInside(tool, guard);
}

/** The unfolding tool, whose tools inside are guarded, and those inside of them. */
const guardedInside = <T extends AnyTool>(unfolding: T, guard: Guard): T =>
  decorate(unfolding, { adopt: adopting(unfolding, (inner) => guardedInner(inner, guard)) });

/** A tool behind a guarded unfolding tool. One that is known only in a turn could not be refused before. */
function guardedInner(inner: AnyTool, guard: Guard): AnyTool {
  if (opensTools(inner)) return guardedInside(inner, guard);
  if (!inner.providerTool) return decorate(inner, { call: guard(inner) });
  return decorate(inner, {
    providerTool: undefined,
    call: async (_, { tool }) =>
      withheld(`Tool '${tool}' is not available here: each call of it would have to be decided about first.`),
  });
}

/** @throws ToolDefinitionError when one of the tools behind an unfolding tool, as far as they are known, cannot be guarded. */
function checkInside(outer: string, unfolding: AnyTool): void {
  for (const inner of unfolding.inner ?? []) {
    if (inner.providerTool) {
      const problem = `its guard cannot hold back '${inner.name}', which the model's provider runs: take that out, or use covers: 'opening'.`;
      throw new ToolDefinitionError(outer, 'tools', problem);
    }
    if (opensTools(inner)) checkInside(outer, inner);
  }
}
