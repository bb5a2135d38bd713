import type { CompleteResult } from '@modelcontextprotocol/server';
import { isJsonObject, type Json, type JsonObject, shorten } from '../../tool/json.ts';
import { createInvalidParamsError } from '../content/rpc.ts';
import { type CallerScope, runForCaller } from './caller.ts';
import type { McpCompleter } from './define-mcp-resource.ts';
import { formatUnknownPrompt, type McpPrompt } from './prompts.ts';
import type { PublishedResource } from './resources.ts';

/** The maximum number of values in one response (MCP specification, Completion). */
const MAX_VALUES = 100;

/** The parts of an endpoint with values to complete. */
interface CompletionSource {
  readonly prompts: ReadonlyMap<string, McpPrompt>;
  readonly resources: readonly PublishedResource[];
}

/** Returns whether any argument or variable has completions. */
export const hasCompletions = ({ prompts, resources }: CompletionSource): boolean =>
  [...prompts.values()].some(({ arguments: args = [] }) => args.some((one) => one.complete)) ||
  resources.some(({ complete = {} }) => Object.values(complete).some((one) => one !== undefined));

/** The names to complete in a prompt or resource, each with its completion function if there is one. */
interface CompletionTarget {
  /** A description such as `prompt 'summary'`. */
  readonly what: string;
  readonly names: ReadonlyMap<string, McpCompleter | undefined>;
}

interface CompletionRequest extends CallerScope {
  readonly params: JsonObject;
}

/**
 * Handles `completion/complete`. Returns no values if there is no completion function.
 *
 * @throws RpcError for an unknown prompt, resource, argument or variable. Errors from `runForCaller` pass
 * through.
 */
export async function complete(
  published: CompletionSource,
  request: CompletionRequest,
): Promise<CompleteResult> {
  const { ref, argument, context = {} } = request.params;
  const { what, names } = findCompletionTarget(published, ref);
  const { name, value } = isJsonObject(argument) ? argument : {};
  if (typeof name !== 'string' || typeof value !== 'string')
    throw createInvalidParamsError('The `name` and the `value` of `argument` must be strings.');
  if (!names.has(name)) {
    const known = [...names.keys()].join(', ');
    throw createInvalidParamsError(`The ${what} has no '${shorten(name, 64)}'. It has: [${known}].`);
  }
  const values = readValues(context);
  const suggest = names.get(name);
  if (!suggest) return toResult([]);
  const completing = `the completion of '${name}' of ${what}`;
  return runForCaller(request, completing, async (asked) => {
    const found = await suggest(value, { ...asked, values });
    if (!Array.isArray(found) || found.some((one) => typeof one !== 'string'))
      throw new Error(`${completing} did not return a list of strings.`);
    return toResult(asked.secrets.redact(found));
  });
}

const toResult = (found: readonly string[]): CompleteResult => ({
  completion: {
    values: found.slice(0, MAX_VALUES),
    total: found.length,
    hasMore: found.length > MAX_VALUES,
  },
});

function findCompletionTarget(
  { prompts, resources }: CompletionSource,
  ref: Json | undefined,
): CompletionTarget {
  const { type, name, uri } = isJsonObject(ref) ? ref : {};
  if (type === 'ref/prompt') {
    const prompt = typeof name === 'string' ? prompts.get(name) : undefined;
    if (!prompt) throw createInvalidParamsError(formatUnknownPrompt(name, prompts));
    const args = prompt.arguments ?? [];
    return {
      what: `prompt '${prompt.name}'`,
      names: new Map(args.map((one) => [one.name, one.complete])),
    };
  }
  if (type !== 'ref/resource')
    throw createInvalidParamsError("`ref.type` must be 'ref/prompt' or 'ref/resource'.");
  const resource = resources.find((one) => one.uri === uri);
  if (!resource) {
    const wanted =
      typeof uri === 'string'
        ? `There is no template '${shorten(uri, 200)}'.`
        : '`uri` must be the uri of a template.';
    throw createInvalidParamsError(`${wanted} resources/templates/list lists them.`);
  }
  const completing = new Map(Object.entries(resource.complete ?? {}));
  return {
    what: `template '${resource.uri}'`,
    names: new Map(resource.template.names.map((one) => [one, completing.get(one)])),
  };
}

/** Returns the other values that the client has sent. */
function readValues(context: Json): Readonly<Record<string, string>> {
  const values: Json = isJsonObject(context) ? (context.arguments ?? {}) : context;
  if (!isTexts(values)) throw createInvalidParamsError('`context.arguments` must be an object of strings.');
  return values;
}

const isTexts = (values: Json): values is JsonObject & Readonly<Record<string, string>> =>
  isJsonObject(values) && Object.values(values).every((one) => typeof one === 'string');
