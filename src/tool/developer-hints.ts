/**
 * Hints for developers about mistakes in running code. Runs in development only: other files reach it through
 * `literals.ts`.
 */
import { isAiTool } from './check-literal.ts';
import { shorten } from './json.ts';
import type { Log, LogEntry, LogPlace } from './log.ts';
import { findUnreadableProblem, getClass, getClassName } from './object-class.ts';
import { describeValue, isClass } from './shown.ts';

/** The options of an app that determine the URLs of its routes. */
interface ServingOptions {
  readonly log: Log;
  readonly basePath?: string | undefined;
}

/**
 * Creates a function that returns a hint for a 404 if the URL resembles a route of the app: a route below
 * another path, as when the Worker serves part of a site, or a similar path. The first hint is also logged.
 */
export function createMisplacedHint(
  { basePath, log }: ServingOptions,
  paths: Iterable<string>,
): (url: string) => string {
  const known = [...paths].filter((path) => path !== '/');
  const patterns = known.map(toEndPattern);
  let isLogged = false;
  return (url) => {
    const { pathname } = new URL(url);
    // MCP clients look below the origin for the authorization server, wherever the endpoint is.
    if (pathname.startsWith('/.well-known/')) return '';
    const below = basePath === undefined && patterns.map((end) => end.exec(pathname)?.[1]).find(Boolean);
    const alike =
      known.find((path) => hasSameEnd(path, pathname)) ?? known.find((path) => isSimilarPath(path, pathname));
    if (!below && !alike) return '';
    const hint = below
      ? `If the Worker is served below ${below}, set createHoldfast({ http: { basePath: '${below}' } }).`
      : `Did you mean ${basePath ?? ''}${alike}?`;
    if (!isLogged) log({ level: 'warn', event: 'other', message: `no route matches ${pathname}. ${hint}` });
    isLogged = true;
    return ` ${hint}`;
  };
}

const hasSameEnd = (path: string, asked: string): boolean =>
  path.split('/').at(-1) === asked.split('/').at(-1);

/** Returns whether each segment of the asked path contains, or is contained in, the segment of the route. */
function isSimilarPath(path: string, asked: string): boolean {
  const words = asked.split('/').slice(1);
  const parts = path.split('/').slice(1);
  return (
    parts.length === words.length &&
    parts.every((part, at) => {
      const word = words[at] ?? '';
      return word !== '' && (part.startsWith('{') || word.includes(part) || part.includes(word));
    })
  );
}

/**
 * Makes an app throw an error with the fix if a main module exports the app instead of its Worker. The
 * platform calls `fetch` on the export.
 */
export function refuseAsExport(holdfast: object): void {
  const fetch = (): never => {
    throw new Error(
      'The main module exports the result of createHoldfast. Export its Worker instead: export default holdfast.worker;',
    );
  };
  Object.defineProperty(holdfast, 'fetch', { value: fetch });
}

/** Returns a pattern for URLs that end with the path of a route. It captures the part before that path. */
const toEndPattern = (path: string): RegExp =>
  new RegExp(`^((?:/[\\w.~-]+)+?)${path.replaceAll('.', '\\.').replaceAll(/\{\w+\}/g, '[^/]+')}$`);

/** Returns whether a path belongs to the module `answers`. */
export const isAnswersPath = (url: string): boolean =>
  /\/(approvals|results)\/[^/]+$|\/answers$/.test(new URL(url).pathname);

/** A call of a reply, and the state that it wrote. */
interface WritingCall {
  readonly record: {
    readonly name: string;
    readonly ended?: { readonly changes?: { readonly state?: object | undefined } | undefined } | undefined;
  };
}

/** Returns a warning for each key of `call.state` that two concurrent lanes wrote. */
export function findSharedWrites(lanes: readonly (readonly WritingCall[])[]): string[] {
  const writers = new Map<string, string>();
  const warnings: string[] = [];
  for (const lane of lanes) {
    const wrote = lane.flatMap(({ record: { name, ended } }) =>
      Object.keys(ended?.changes?.state ?? {}).map((key) => ({ name, key })),
    );
    for (const { name, key } of wrote) {
      const other = writers.get(key);
      if (other !== undefined) warnings.push(formatSharedWrite(key, [other, name]));
    }
    for (const { name, key } of wrote) writers.set(key, name);
  }
  return warnings;
}

const formatSharedWrite = (key: string, [one, other]: readonly [string, string]): string =>
  `Calls of '${one}' and '${other}' in one reply both wrote call.state '${key}', and only the later value is kept. Give ` +
  'both tools the same `serial`, so that they run one after another, and each sees the earlier value.';

/** Returns the problem of a tool's `reconcile`, or `undefined`. */
export const reconcileProblem = (effect: string): string | undefined =>
  effect === 'once'
    ? undefined
    : `only a tool with the effect 'once' reconciles. Calls with the effect '${effect}' are run again.`;

/** Fixes for mistakes: lines to add to a deployment, and code to write. */
export const FIXES = {
  answers: ". Import it from 'holdfast/answers' and add it to `use`.",
  files: ". Import it from 'holdfast/files' and add it to `use`.",
  delegates: ". Add onBehalfOf() from 'holdfast/http' to `use`.",
  late: ' Give it a time limit of its own.',
  askBefore: ' Ask before it, with requireApproval or withAwaiting.',
  owner: '. Use { tenant } for the sessions of all callers of a tenant, or { id } for those of one caller',
  model: "Give createHoldfast one, such as openaiCompatible() from 'holdfast/models/openai-compatible'.",
  exports:
    'Set in wrangler.toml, without the flag `disable_ctx_exports`:\n\ncompatibility_date = "2026-10-01"',
  runner: 'Add to its main module:\n\nexport const { TurnRunner } = holdfast;',
  class: "Add to its main module:\n\nexport { SessionObject } from 'holdfast/durable-objects';",
  binding:
    'Add to wrangler.toml, and to each of its environments:\n\n' +
    '[[durable_objects.bindings]]\nname = "SESSIONS"\nclass_name = "SessionObject"',
  sqlite:
    'Add to wrangler.toml, in place of `new_classes`:\n\n' +
    '[[migrations]]\ntag = "v1"\nnew_sqlite_classes = ["SessionObject"]\n\n' +
    'A class that was deployed without it cannot get it later. Export it under another name, with another tag.',
  awake: 'Set compatibility_date = "2026-10-01" in wrangler.toml, or bind a queue as TURNS.',
  enable_request_signal:
    'The Worker does not notice when a client disconnects. Add it to `compatibility_flags` in wrangler.toml.',
  global_fetch_strictly_public:
    "A URL that comes from data may reach servers behind the Worker's own zone. Add it to `compatibility_flags` in wrangler.toml.",
};

/** Returns the problem of a value listed as a tool, as the text after "Tool at index 0 ". */
export function describeListedTool(given: unknown): string {
  if (given === null || given === undefined) return `must not be ${given}`;
  const object = typeof given === 'object' || typeof given === 'function' ? given : undefined;
  const near = findSimilarValueProblem(given) ?? (object && findUnreadableProblem(object));
  if (near !== undefined) return near;
  const name = object && getClassName(getClass(object));
  if (object && isClass(object))
    return `is the class ${name}, which has no static tools. List new ${name}() for the tools of its instances`;
  return `(${name ?? typeof given}) is neither a tool nor a tool provider, and its class has no static 'tools' table`;
}

/** Returns the problem of a value that resembles a tool, or `undefined`. */
function findSimilarValueProblem(given: unknown): string | undefined {
  if (typeof given === 'string') return `is ${describeValue(given)}. List the tool itself`;
  if (given instanceof Promise) return 'is a promise. Await it, and list its result';
  if (Array.isArray(given)) return 'is a list. Spread it, as in [...tools]';
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
    notes,
  }: Readonly<Record<string, unknown>> = Object(given);
  const named = `('${shorten(String(name), 80)}')`;
  if (typeof given === 'function' && !isClass(given) && tools === undefined) {
    return `${named} is a function. Call it, and list its result, or pass it to toolFactory`;
  }
  if (isAiTool(given) && typeof run !== 'function')
    return "is an AI SDK tool. Convert it with fromAiTool(tool, { name }) from 'holdfast/tools/ai-sdk'";
  if (typeof execute === 'function')
    return 'is a tool of another library. Convert it with defineTool({ name, description, input, run })';
  if (typeof run === 'function' && typeof name === 'string') {
    return `${named} is the literal of a tool. Pass it to defineTool`;
  }
  if (drift !== undefined && connectTimeout !== undefined)
    return `${named} is an MCP client. List mcpToolProvider({ clients: [client] }) instead`;
  if (typeof unfoldingByName === 'function')
    return 'is a factory of MCP tools. List the result of its toolByName or unfolding';
  if (typeof toolsNow === 'function')
    return "is the literal of a tool provider. Wrap it in toolProvider({ ... }) from 'holdfast'";
  if (!Array.isArray(tools)) return undefined;
  if (typeof notes === 'string')
    return `${named} is the literal of a reference. Pass it to defineReference from 'holdfast/tool-groups'`;
  return typeof instructions === 'string' ? `${named} is an agent. List its tools instead` : undefined;
}

/** The metadata of a tool, which names its origin. */
interface ToolWithMetadata {
  readonly metadata: Readonly<Record<string, unknown>>;
}

/**
 * Returns how to rename a tool of an MCP server, as the end of a sentence. Returns an empty string if no tool
 * is from an MCP server.
 */
export function formatMcpRenameAdvice(...tools: readonly ToolWithMetadata[]): string {
  const clients = tools.flatMap(({ metadata: { mcp } }) => Object(mcp).server ?? []);
  return clients.length === 0 ? '' : `. Give the MCP client '${clients[0]}' a \`prefix\` to have both`;
}

/** Returns which elements of a list bring two tools of one name, and how to rename one, to end a sentence. */
export function describeDuplicateTool(
  sources: readonly unknown[],
  brought: readonly (readonly [tool: ToolWithMetadata, index: number])[],
): string {
  const owners = brought.map(([, index]) => getClass(Object(sources[index])));
  const places = brought.map(([, index], at) => {
    const owner = owners[at];
    return owner && isClass(owner) ? `${index} (${getClassName(owner)})` : index;
  });
  const mend =
    formatMcpRenameAdvice(...brought.map(([tool]) => tool).toReversed()) ||
    formatToolRenameAdvice(owners.findLast(isClass));
  return `, at index ${places.join(' and ')}${mend}`;
}

/** Returns how to rename a tool, or the tools of a class, to end a sentence. */
export const formatToolRenameAdvice = (owner?: object): string =>
  owner === undefined
    ? ". Rename one, as with withName from 'holdfast/decorators'"
    : `. Rename one, as with toolsOf(object, { prefix: '${getClassName(owner).toLowerCase()}_' }) from 'holdfast/tool-objects'`;

/**
 * Options for converters to JSON Schema, so that they refuse types without JSON values. Zod refuses them by
 * default.
 */
export const REFUSING_OPTIONS = {
  /** For Valibot's converter, which would otherwise accept any value for such a type. */
  valibot: {
    overrideSchema: ({ valibotSchema: { type } }: { readonly valibotSchema: { readonly type: string } }) =>
      UNSENDABLE_TYPES.has(type) ? refuseType(type) : undefined,
  },
  /** For ArkType's converter. */
  arktype: {
    fallback: {
      proto: ({ proto }: { readonly proto: { readonly name: string } }) => refuseType(proto.name),
      domain: ({ domain }: { readonly domain: string }) => refuseType(domain),
      date: () => refuseType('Date'),
    },
  },
};

const UNSENDABLE_TYPES = new Set([
  ...['function', 'promise', 'instance', 'symbol', 'bigint'],
  ...['map', 'set', 'date', 'blob', 'file'],
]);

function refuseType(type: string): never {
  throw new Error(`a model cannot send a value of the type '${type}'`);
}

/** Returns why a value is not the schema of an object, as the text after "its input ". */
export const describeSchemaProblem = (declared: unknown): string =>
  typeof Object(declared).type === 'string'
    ? "is a plain JSON Schema. Wrap it: jsonSchema({ ... }), with jsonSchema from 'holdfast/json-schema'."
    : 'must be an object schema, since a model sends a JSON object: v.object({ ... }), z.object({ ... }), ' +
      "or jsonSchema({ type: 'object', ... }). Put anything else into a property.";

/** The libraries with a converter, as the end of an error about a schema without one. */
export const CONVERTER_ADVICE =
  " Use Valibot, Zod 4 (import from 'zod', not 'zod/mini'), ArkType, or jsonSchema() from 'holdfast/json-schema'.";

/** Returns the problem of a source with `discover` that has only these uses, or `undefined`. */
export const findDiscoverProblem = (
  uses: readonly { readonly module: { readonly name: string } }[],
): string | undefined =>
  uses.some(({ module }) => module.name === 'listings')
    ? undefined
    : "`discover` needs the module `listings`. Import it from 'holdfast/listings' and add it to `uses`, beside `discover`.";

/** The fix for a tool without `run`. */
export const RUN_ADVICE =
  ". Use a function, or defineManualTool from 'holdfast/answers' where the caller runs it.";

/** The model that an app can use in development. */
export const OFFLINE_MODEL_ADVICE =
  ' To develop without a language model, set MODEL = "offline", and use ' +
  "orOffline(openaiCompatible()) from 'holdfast/models/offline'.";

/** Returns advice on replacing values that JSON does not keep. */
export const formatLostValueAdvice = (left: readonly { readonly made?: string | undefined }[]): string =>
  left.some(({ made = '' }) => FILE_CLASSES.test(made)) ? RETURN_FILE : RETURN_JSON;

const FILE_CLASSES = /^(?:Blob|File|Response|ReadableStream)$/;
const RETURN_FILE = 'Return bytes as they are, or as `file(bytes, mediaType)` or `image(bytes, mediaType)`.';
const RETURN_JSON = 'Return JSON, or give the value a toJSON method.';

/** Returns the problem of a `reconcile` result other than `{ done }`, or `undefined`. */
export const reconcileAnswerProblem = (tool: string, answer: unknown): string | undefined =>
  answer === 'unknown' || answer === 'no-answer'
    ? undefined
    : `The reconcile of tool '${tool}' returned '${String(answer)}', which is neither { done }, 'not-done' nor 'unknown'.`;

interface AgentOfApp<Use> {
  readonly name: string;
  readonly uses: readonly Use[];
  readonly accepts?: readonly string[] | undefined;
}

interface FilesOfApp<Use> {
  readonly files: unknown;
  keeperIn(uses: readonly Use[]): unknown;
  needsFiles(what: string): string;
}

/**
 * Returns an error if an agent accepts files without a module that keeps them, or lists the `files` module
 * itself. Otherwise returns `undefined`.
 */
export function findFilesProblem<Use>(
  agents: readonly AgentOfApp<Use>[],
  { files, keeperIn, needsFiles }: FilesOfApp<Use>,
): string | undefined {
  for (const { name, uses, accepts = [] } of agents) {
    if (!files && accepts.length > 0) return needsFiles(`Agent '${name}': \`accepts\``);
    const own = keeperIn(uses);
    if (own && own !== files)
      return `Agent '${name}' has its own \`files()\`. Add it to \`use\` of the app instead.`;
  }
  return undefined;
}

/**
 * Returns the console output of a problem: its text, and the thrown value. Returns `undefined` for a turn
 * that ended well.
 */
export function formatLogEntry(
  line: LogPlace & Pick<LogEntry, 'event' | 'message' | 'stack'>,
  thrown: unknown = line.stack,
): readonly unknown[] | undefined {
  const { message, event } = line;
  if (message === undefined) return undefined;
  const text = `holdfast: ${message}${EVENTS_WITH_PLACE.includes(event) ? formatPlace(line) : ''}`;
  return thrown === undefined ? [text] : [text, thrown];
}

/** A line of an inspector. `session` is empty outside a session. */
interface InspectorLine {
  readonly logger: string;
  readonly message: string;
  readonly session: string;
  readonly turn: string;
}

/** Returns the console output of an inspector's line. */
export function formatInspectorLine({ logger, message, session, turn }: InspectorLine): string {
  const place = session === '' ? `turn ${turn}` : `session ${session}, turn ${turn}`;
  return `${logger}: ${message} (${place})`;
}

/** Events whose console line includes the session, so that a developer can find it. */
const EVENTS_WITH_PLACE: readonly LogEntry['event'][] = [
  'tool-threw',
  'model-failed',
  'turn',
  'turn-failed',
  'turn-stuck',
  'webhook-not-delivered',
  'module-missing',
];

function formatPlace(place: LogPlace): string {
  const words = (['agent', 'session', 'turn'] as const).flatMap((key) =>
    place[key] === undefined ? [] : [`${key} ${place[key]}`],
  );
  return words.length === 0 ? '' : ` (${words.join(', ')})`;
}
