import { shorten } from './json.ts';
import { isClass, shown } from './shown.ts';

/** Returns what is wrong with something that is near to a tool and is listed as if it were one, or `undefined`. */
export function mistakenFor(given: unknown): string | undefined {
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
  if (!Array.isArray(tools)) return undefined;
  return typeof instructions === 'string' ? `${named} is an agent: list its tools instead` : undefined;
}

/** Returns what is wrong with a class that is listed and has no tools of its own, or `undefined`. */
export const mistakenClass = (given: unknown, name: string | undefined): string | undefined =>
  typeof given === 'function' && isClass(given)
    ? `is the class ${name}, which has no static tools: list new ${name}() for those of its instances`
    : undefined;
