/**
 * Tools that a client declares with a message. Surfaces import only this file. The code that reads the tools
 * is in the module that an agent uses.
 */
import { isJsonObject, type JsonObject } from '../../tool/json.ts';
import { createWarningEntry } from '../../tool/log.ts';
import type { ModuleUse } from '../../tool/module-use.ts';
import { createInvalidBodyError } from '../../worker/body.ts';
import type { ModuleRequest, RouteAgent } from '../../worker/module-request.ts';

export const CLIENT_TOOLS = 'client-tools';

/** The key of the tool-call context under which a turn stores its client's tools. */
export const CLIENT_TOOLS_KEY = 'holdfast.clientTools';

/** A tool as a client declares it. Its members are unchecked, because clients can send any value. */
export interface DeclaredTool {
  readonly name?: unknown;
  readonly description?: unknown;
  readonly parameters?: unknown;
}

/** The agent's name, and the tools that the client declares. */
export interface ToolDeclaration {
  readonly agent: string;
  /** A list of tools, or an object with tools by name. Unchecked, because clients can send any value. */
  readonly tools: unknown;
}

/** A use of the module. It reads the tools that clients declare. */
export interface ClientToolsUse extends ModuleUse {
  /**
   * Returns the tools in the form that a turn stores. Omits tools whose names are in `without`.
   *
   * @throws SessionError `invalid-body` if a tool cannot be offered.
   */
  readTools(tools: readonly DeclaredTool[], without: readonly unknown[]): JsonObject[];
}

/**
 * Returns the tools that a client declares with a message, as the context of its turn. A route passes it as
 * the `context` of `asked.session`. Omits a tool with the name of one of the agent's tools. Omits all tools,
 * and logs a warning, unless the agent or the app uses `clientTools()`.
 *
 * @throws SessionError `invalid-body` if a tool cannot be offered.
 *
 * @example
 * ```ts
 * const chat = defineModule({ name: 'chat' }).use({
 *   routes: [
 *     defineRoute({
 *       method: 'POST',
 *       path: '/chat/{agent}/{session}',
 *       isCounted: true,
 *       async handle(asked, { agent, session }) {
 *         const { text, tool } = await asked.json();
 *         const context = declaredTools(asked, { agent, tools: [tool] });
 *         return Response.json(await asked.session({ agent, session, context }).send(String(text)));
 *       },
 *     }),
 *   ],
 * });
 * ```
 */
export function declaredTools(
  { agents, log, requestId }: Pick<ModuleRequest, 'agents' | 'log' | 'requestId'>,
  { agent: name, tools }: ToolDeclaration,
): JsonObject {
  const agent: Partial<RouteAgent> = agents.find((one) => one.name === name) ?? {};
  const { tools: own = [], uses = [] } = agent;
  const listed = isJsonObject(tools)
    ? Object.entries(tools).map(([name, tool]) => ({ ...Object(tool), name }))
    : (tools ?? []);
  if (!Array.isArray(listed) || !listed.every(isJsonObject))
    throw createInvalidBodyError(['tools: must be a list of tools, or an object with tools by name']);
  const { length } = listed.filter((tool) => !own.some((known) => known === tool.name));
  const use = uses.find((one: ModuleUse): one is ClientToolsUse => one.module.name === CLIENT_TOOLS); // only this module creates such uses
  if (length > 0 && use) return { [CLIENT_TOOLS_KEY]: use.readTools(listed, own) };
  const left = `${length} tools of a client were left out: agent '${name}' does not use`;
  if (length > 0)
    log({
      ...createWarningEntry(`${left} clientTools() from 'holdfast/client-tools'`),
      agent: name,
      requestId,
    });
  return {};
}
