import { shorten } from './json.ts';
import { nameOf, ownerOf, unreadable } from './object-class.ts';
import { isClass, shown } from './shown.ts';

/** Returns what is wrong with something that is listed as if it were a tool, after "Tool at index 0 ". */
export function listedMistake(given: unknown): string {
  if (given === null || given === undefined) return `must not be ${given}`;
  const object = typeof given === 'object' || typeof given === 'function' ? given : undefined;
  const near = nearMistake(given) ?? (object && unreadable(object));
  if (near !== undefined) return near;
  const name = object && nameOf(ownerOf(object));
  if (object && isClass(object))
    return `is the class ${name}, which has no static tools: list new ${name}() for those of its instances`;
  return `(${name ?? typeof given}) is neither a tool nor a tool provider, nor has its class a static 'tools' table`;
}

/** Returns what is wrong with something that is near to a tool, or `undefined`. */
function nearMistake(given: unknown): string | undefined {
  if (typeof given === 'string') return `is ${shown(given)}: list the tool itself`;
  if (given instanceof Promise) return 'is a promise: await it, and list what it comes to';
  if (Array.isArray(given)) return 'is a list: spread it, as in [...tools]';
  const {
    name,
    instructions,
    tools,
    run,
    execute,
    drift,
    connectTimeout,
    unfoldingByName,
    toolsNow,
  }: Readonly<Record<string, unknown>> = Object(given);
  const named = `('${shorten(String(name), 80)}')`;
  if (typeof given === 'function' && !isClass(given) && tools === undefined) {
    return `${named} is a function: call it, and list what it answers, or hand it to toolFactory`;
  }
  if (typeof execute === 'function')
    return 'is a tool of another library: make it one with defineTool({ name, description, input, run })';
  if (typeof run === 'function' && typeof name === 'string') {
    return `${named} is the literal of a tool: make it one with defineTool`;
  }
  if (drift !== undefined && connectTimeout !== undefined)
    return `${named} is a client of MCP: list mcpToolProvider({ clients: [client] }) in its place`;
  if (typeof unfoldingByName === 'function')
    return 'is a factory of MCP tools: list what its toolByName or unfolding answers';
  if (typeof toolsNow === 'function')
    return "is the literal of a tool provider: wrap it in toolProvider({ ... }) of 'holdfast'";
  if (!Array.isArray(tools)) return undefined;
  return typeof instructions === 'string' ? `${named} is an agent: list its tools instead` : undefined;
}

/** Returns how a tool of an MCP server is given a name that is free, to end a sentence; nothing if neither is one. */
export function toRename(
  ...tools: readonly { readonly metadata: Readonly<Record<string, unknown>> }[]
): string {
  const clients = tools.flatMap(({ metadata: { mcp } }) => Object(mcp).server ?? []);
  return clients.length === 0 ? '' : `. Give the MCP client '${clients[0]}' a \`prefix\` to have both`;
}
