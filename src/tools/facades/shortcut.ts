import { decorate } from '../decorate.ts';
import type { Json, JsonObject } from '../json.ts';
import { isJsonObject } from '../json.ts';
import type { AnyTool, JsonSchema } from '../tool.ts';
import { type Facade, facadeIn } from './facade.ts';
import { allOf } from './inner-tools.ts';
import { openingFact } from './open-facade.ts';
import { OPENINGS } from './openings.ts';

/**
 * How a facade is called with `{ "<inner tool>": <its input> }`: as that tool itself, so that policies, approvals and
 * inspectors see the tool that runs; its success opens the facade too (UNF-26, UNF-27).
 *
 * Only where the tools are fixed: what a selector would answer is not known from a call that did not ask it. A facade
 * inside is opened by its own call, and an argument of the facade itself is one.
 */
export function shortcut(facade: Facade, { properties }: JsonSchema): AnyTool['route'] {
  const byName = directTools(facade, Object.keys(Object(properties)));
  if (byName.size === 0) return undefined;
  return (input) => {
    for (const [name, value] of Object.entries(input)) {
      const tool = byName.get(name);
      const nested = tool && nestedInput(tool, value);
      if (nested) return { tool, input: nested };
    }
    return undefined;
  };
}

/** The tools that can be called through the facade, by name: a map, since the model names them. */
function directTools(facade: Facade, taken: readonly string[]): ReadonlyMap<string, AnyTool> {
  const { brings } = facade;
  if (brings.by === 'moment' || brings.by === 'selection') return new Map();
  const tools = brings.by === 'all' ? brings.tools : allOf(brings.tools);
  const counts = new Map<string, number>(taken.map((name) => [name, 1]));
  for (const { name } of tools) counts.set(name, (counts.get(name) ?? 0) + 1);
  const direct = tools.filter((tool) => counts.get(tool.name) === 1 && !facadeIn(tool));
  return new Map(direct.map((tool) => [tool.name, opening(tool, facade)]));
}

/** The tool, whose success opens the facade. */
const opening = (tool: AnyTool, facade: Facade): AnyTool =>
  decorate(tool, {
    call(input, invocation) {
      const offered = invocation.offered().find((one) => facadeIn(one) === facade);
      if (offered) invocation.record(OPENINGS, openingFact(offered, facade, { input: {}, tools: [] }));
      return tool.call(input, invocation);
    },
  });

/** What is nested under a tool's name, as its input. Only a text tool takes what is no object: its JSON is the text. */
function nestedInput(tool: AnyTool, value: Json): JsonObject | undefined {
  if (tool.readInput) return tool.readInput(JSON.stringify(value));
  return isJsonObject(value) ? value : undefined;
}
