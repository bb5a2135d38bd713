/** Offers the tools of a turn's client in the turn's own loop. */

import { memoize } from '../../tool/async.ts';
import type { LiteralShape } from '../../tool/check-literal.ts';
import { literals } from '../../tool/literals.ts';
import { createModule, createUse, type ModuleUse } from '../../tool/module-use.ts';
import { escapeInvisible } from '../../tool/shown.ts';
import type { AnyTool } from '../../tool/tool.ts';
import type { ToolCallContext } from '../../tool/tool-call-context.ts';
import { OFFERS } from '../../tool/uses.ts';
import { answers } from '../answers/answers.ts';
import { defineManualTool } from '../answers/manual.ts';
import { createUntrustedSchema } from '../json-schema/untrusted-schema.ts';
import { CLIENT_TOOLS, CLIENT_TOOLS_KEY, type ClientToolsUse } from './declared.ts';
import { type ClientTool, readStoredTools, readTools } from './read-tools.ts';

/** The configuration of `clientTools`. */
export interface ClientToolsConfig {
  /** Milliseconds until a call without a result ends with an error. Defaults to never. */
  readonly expires?: number | undefined;
}

/**
 * Offers the tools that a client declares with a message in the turn of that message, in addition to the
 * agent's tools. List it in `use: [clientTools()]` of an agent, or of an app for all its agents. The client
 * runs the tools. A call waits for its result, as a call to a tool from `defineManualTool` does. A client's tool never
 * replaces one of the agent's, and nested loops do not see client tools. The surfaces for AG-UI, OpenAI and
 * `useChat` accept such tools.
 *
 * @throws RangeError if `expires` is not more than 0.
 * @throws TypeError in development, if a key is unknown.
 *
 * @example
 * ```ts
 * const guide = defineAgent({
 *   name: 'guide',
 *   description: 'Helps on a page.',
 *   instructions: 'Help. The page has tools of its own.',
 *   use: [clientTools()],
 * });
 * ```
 */
export function clientTools(config: ClientToolsConfig = {}): ModuleUse {
  const fault = literals?.fault(config, SHAPE);
  if (fault) throw new TypeError(`clientTools ${fault.problem}.`);
  const { expires } = config;
  if (expires !== undefined && !(expires > 0))
    throw new RangeError(`clientTools has ${expires} as its 'expires'. It must be more than 0 milliseconds.`);
  const use: ClientToolsUse = createUse(CLIENT_TOOLS_MODULE, '', {
    readTools: (...declared: Parameters<typeof readTools>) =>
      readTools(...declared).map((tool) => ({ ...tool })),
  });
  const offeredBy = memoize((context: ToolCallContext): readonly AnyTool[] =>
    readStoredTools(context.get(CLIENT_TOOLS_KEY)).map((tool) => toTool(tool, expires)),
  );
  OFFERS.give(use, {
    name: CLIENT_TOOLS,
    own: 'after',
    uses: [answers],
    offer(tools, { frame, context, tools: own }) {
      if (frame !== '') return tools;
      const offered = offeredBy(context);
      return offered.length === 0 ? tools : appendClientTools(offered)(tools)(own);
    },
  });
  return use;
}

const CLIENT_TOOLS_MODULE = createModule({ name: CLIENT_TOOLS });

const SHAPE = {
  of: 'clientTools',
  keys: { expires: 'any' },
  required: [],
  foreign: { timeout: 'expires' },
} satisfies LiteralShape<keyof ClientToolsConfig>;

const toTool = ({ name, description, parameters }: ClientTool, expires: number | undefined): AnyTool =>
  defineManualTool({
    name,
    description: escapeInvisible(description),
    input: createUntrustedSchema(parameters),
    expires,
  });

/**
 * Appends a client's tools to those of a loop. `own` is the loop's own tools. The same lists return the same
 * list.
 */
const appendClientTools = memoize((offered: readonly AnyTool[]) =>
  memoize((tools: readonly AnyTool[]) =>
    memoize((own: readonly AnyTool[]): readonly AnyTool[] => {
      const taken = new Set([...collectToolNames(own), ...tools.map(({ name }) => name)]);
      const come = offered.filter(({ name }) => !taken.has(name));
      return come.length === 0 ? tools : [...tools, ...come];
    }),
  ),
);

/** Returns the names of tools, and of their inner tools, which may be offered later. */
function collectToolNames(tools: readonly AnyTool[], seen: Set<AnyTool> = new Set()): readonly string[] {
  return tools.flatMap((tool) => {
    if (seen.has(tool)) return [];
    seen.add(tool);
    return [tool.name, ...collectToolNames([tool.delegate ?? [], tool.inner ?? []].flat(), seen)];
  });
}
