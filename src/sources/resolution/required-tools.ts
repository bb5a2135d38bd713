import { checkNaming } from '../../tool/check-definition.ts';
import { shorten } from '../../tool/json.ts';
import { warning } from '../../tool/log.ts';
import type { AnyTool, LoopView } from '../../tool/tool.ts';
import { error } from '../../tool/tool-result.ts';
import { toolProvider } from './tool-provider.ts';
import type { ToolProvider } from './tool-source.ts';

/** Characters of the names that a model is told of: a catalogue may hold thousands. */
const MAX_LISTED = 2_000;

/**
 * Stands in for those of the names that the providers do not answer in a loop, to be listed after them: a model that
 * lacks a tool which it was told of would make its answers up. Each call is answered with what is missing and
 * what there is, in the words of the first provider that has words for it; the log says it once. Outside of a loop nobody
 * knows what is missing, and nothing stands in.
 *
 * @throws ToolDefinitionError for a name that no tool can have.
 */
export function requiredTools(names: readonly string[], providers: readonly ToolProvider[]): ToolProvider {
  const available = (view: LoopView): readonly string[] =>
    [...new Set(providers.flatMap((provider) => provider.toolsNow(view).map(({ name }) => name)))].sort();
  const speaking = providers.find(({ missing }) => missing !== undefined);
  const say = (name: string, known: readonly string[]): string =>
    speaking?.missing?.(name, known) ?? missingTool(name, known);
  const standIns = [...new Set(names)].map((name) => standInFor(name, (view) => say(name, available(view))));
  const warned = new Set<string>();
  return toolProvider({
    toolsNow(view) {
      if (!view) return [];
      const known = available(view);
      const offered = standIns.filter(({ name }) => !known.includes(name));
      for (const { name } of offered.filter((one) => !warned.has(one.name))) {
        warned.add(name);
        view.log(warning(`'${view.path}' lacks a tool that it requires: ${say(name, known)}`));
      }
      return offered;
    },
  });
}

/** Says it in the words that MCP tools have too, for providers that have none of their own. */
const missingTool = (name: string, available: readonly string[]): string =>
  `Required tool '${name}' not found. ` +
  (available.length > 0
    ? `Available tools: ${shorten(available.join(', '), MAX_LISTED)}`
    : 'No tools are available where it should come from.');

/** It acts on nothing, so a call that was begun by the tool it stands in for is still told as unknown. */
function standInFor(name: string, say: (view: LoopView) => string): AnyTool {
  const description = 'Missing at the moment. A call is answered with what there is instead.';
  checkNaming(name, description);
  return {
    name,
    description,
    inputSchema: { type: 'object', properties: {} },
    effect: 'read',
    returnDirect: false,
    metadata: {},
    check: async (input) => ({ ok: true, value: input }),
    call: async (_input, { view }) => error(say(view)),
  };
}
