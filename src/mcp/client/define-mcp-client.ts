import type { LiteralShape } from '../../tool/check-literal.ts';
import { MAX_TIMEOUT_MS } from '../../tool/define-tool.ts';
import { isSecretName } from '../../tool/env.ts';
import { shorten } from '../../tool/json.ts';
import { literals } from '../../tool/literals.ts';
import { describeValue, findByPrefix, readName, withFullStop } from '../../tool/shown.ts';
import type { McpClient, McpClientConfig } from './mcp-client.ts';

/** The defaults of a client. Times are in ms. */
const DEFAULTS = {
  timeout: 30_000,
  connectTimeout: 10_000,
  maxResponseBytes: 4 * 1024 * 1024,
  drift: 'refuse-weaker',
  elicitation: {},
} as const satisfies Partial<McpClientConfig>;

/**
 * Declares an MCP server whose tools agents can use. It does not connect. The first turn that needs the
 * server connects, for the caller of that turn.
 *
 * @throws McpClientDefinitionError if the client is invalid.
 *
 * @example
 * ```ts
 * const wiki = defineMcpClient({
 *   name: 'wiki',
 *   url: 'https://wiki.example/mcp',
 *   bearer: 'WIKI_TOKEN', // the name of a secret
 * });
 * ```
 */
export function defineMcpClient<const Name extends string>(config: McpClientConfig<Name>): McpClient<Name> {
  const fault = literals?.fault(config, SHAPE);
  if (fault)
    throw new McpClientDefinitionError(readName(config), fault.field, `it ${withFullStop(fault.problem)}`);
  const client: McpClient<Name> = {
    ...config,
    // Production does not check types, so any value other than `true`, such as the text 'false', counts as
    // `false`.
    ...(config.allowPrivate !== undefined && { allowPrivate: config.allowPrivate === true }),
    timeout: config.timeout ?? DEFAULTS.timeout,
    connectTimeout: config.connectTimeout ?? DEFAULTS.connectTimeout,
    maxResponseBytes: config.maxResponseBytes ?? DEFAULTS.maxResponseBytes,
    drift: config.drift ?? DEFAULTS.drift,
    elicitation: config.elicitation ?? DEFAULTS.elicitation,
  };
  checkClient(client);
  return client;
}

const SHAPE = {
  of: 'defineMcpClient',
  keys: {
    name: 'any',
    url: ['a URL', () => true],
    allowPrivate: 'flag',
    transport: 'any',
    bearer: 'text',
    headers: 'any',
    oauth: 'function',
    keepSession: 'flag',
    meta: 'any',
    effects: 'object',
    prefix: 'text',
    timeout: 'any',
    connectTimeout: 'any',
    maxResponseBytes: 'any',
    refreshAfter: 'any',
    drift: 'any',
    elicitation: 'any',
    fetch: 'function',
  },
  required: ['name', 'url'],
  foreign: { requestInit: 'headers', authProvider: 'oauth', command: 'url (a server that speaks HTTP)' },
} satisfies LiteralShape<keyof McpClientConfig>;

/** Thrown where an invalid MCP client is defined, never during a turn. */
export class McpClientDefinitionError extends Error {
  override readonly name = 'McpClientDefinitionError';
  /** The name in the definition, valid or not. */
  readonly client: string;
  /** The invalid property of the definition, such as `effects.write_file`. */
  readonly field: string;

  /** `problem` is a sentence that follows "MCP client 'x': ". */
  constructor(client: string, field: string, problem: string) {
    super(`MCP client '${shorten(client, 80)}': ${problem}`);
    this.client = client;
    this.field = field;
  }
}

/**
 * Returns the client. Untyped callers can pass any value. `mend` describes the expected value, as text after
 * "use ".
 *
 * @throws McpClientDefinitionError if the value is not a client.
 */
export function checkMadeClient(given: McpClient, mend: string): McpClient {
  if (typeof Object(given).connectTimeout === 'number') return given;
  const what = `${describeValue(given)} is not a client. Use ${mend}.`;
  throw new McpClientDefinitionError(readName(given), 'clients', what);
}

/**
 * Returns the clients in a list without duplicates.
 *
 * @throws McpClientDefinitionError if a value is not a client, or if two clients share a name: a session
 * would confuse their tools.
 */
export function checkClients(clients: readonly McpClient[]): readonly McpClient[] {
  if (!Array.isArray(clients)) {
    const problem = `the clients are ${describeValue(clients)}. Use a list, as in { clients: [client] }.`;
    throw new McpClientDefinitionError('', 'clients', problem);
  }
  const byName = new Map<string, McpClient>();
  for (const client of clients) {
    const { name } = checkMadeClient(client, 'the result of defineMcpClient');
    const other = byName.get(name);
    if (other !== undefined && other !== client) {
      const problem = 'another client in the list has the same name. Rename one.';
      throw new McpClientDefinitionError(name, 'name', problem);
    }
    byName.set(name, client);
  }
  return [...byName.values()];
}

const NAME_PATTERN = /^[\w-]{1,64}$/;
/** The format of a prefix. Its maximum length leaves most of a tool name's 64 characters to the server. */
const PREFIX_PATTERN = /^[\w-]{1,32}$/;

const KIB = 1024;
/**
 * The range of the maximum size of a response. Below it, no server could list its tools. Above it, parsing a
 * response would fill a Worker's memory.
 */
const RESPONSE_BYTES = { least: KIB, most: 32 * KIB * KIB };

type FieldProblem = readonly [field: string, problem: string];

/** Throws a McpClientDefinitionError for the first invalid property. */
function checkClient(client: McpClient): void {
  const [problem] = listProblems(client);
  if (problem) throw new McpClientDefinitionError(String(client.name), ...problem);
}

function* listProblems(client: McpClient): Generator<FieldProblem> {
  if (!NAME_PATTERN.test(client.name)) {
    yield ['name', 'its name must be 1 to 64 letters, digits, `_` or `-`.'];
  }
  yield* listUrlProblems(client);
  yield* listCredentialProblems(client);
  yield* listNamingProblems(client);
  yield* listSizeProblems(client);
  yield* listChoiceProblems(client);
}

function* listUrlProblems({ url }: McpClient): Generator<FieldProblem> {
  if (typeof url === 'function') return;
  const parsed = URL.parse(url);
  if (!parsed || !/^https?:$/.test(parsed.protocol)) {
    yield ['url', `its url is '${shorten(String(url), 80)}'. It must be an absolute http(s) URL.`];
  } else if (parsed.username !== '' || parsed.password !== '') {
    yield ['url', 'its url contains credentials. Name a secret in `bearer`, or send them in `headers`.'];
  }
}

/** Does not quote the value, because a developer may have passed the secret itself. */
const BEARER_PROBLEM =
  'its bearer must be the name of a secret that `secrets` of createHoldfast returns, of letters, digits, `_` and ' +
  '`-`. Do not put the secret itself in code.';

function* listCredentialProblems({ bearer, oauth }: McpClient): Generator<FieldProblem> {
  if (bearer !== undefined && !isSecretName(bearer)) yield ['bearer', BEARER_PROBLEM];
  if (bearer !== undefined && oauth) {
    yield ['oauth', 'it has `bearer` and `oauth`, which both send a token. Use one of them.'];
  }
}

function* listNamingProblems({ prefix, effects = {} }: McpClient): Generator<FieldProblem> {
  if (prefix !== undefined && !PREFIX_PATTERN.test(prefix)) {
    yield ['prefix', 'its prefix must be 1 to 32 letters, digits, `_` or `-`.'];
  }
  for (const [tool, effect] of Object.entries(effects)) {
    const name = shorten(tool, 80);
    const what = `the effect of '${name}'`;
    yield* listUnknownChoiceProblems({ field: `effects.${name}`, what, value: effect }, [
      'read',
      'idempotent',
      'once',
    ]);
  }
}

function* listSizeProblems(client: McpClient): Generator<FieldProblem> {
  for (const field of ['timeout', 'connectTimeout'] as const) {
    const ms = client[field];
    if (ms > 0 && ms <= MAX_TIMEOUT_MS) continue;
    yield [
      field,
      `its ${field} is ${ms}. It must be more than 0 and at most ${MAX_TIMEOUT_MS} milliseconds.`,
    ];
  }
  const { maxResponseBytes: bytes, refreshAfter } = client;
  const { least, most } = RESPONSE_BYTES;
  if (!(Number.isSafeInteger(bytes) && bytes >= least && bytes <= most)) {
    const problem = `its maxResponseBytes are ${bytes}. They must be a whole number from ${least} to ${most}.`;
    yield ['maxResponseBytes', problem];
  }
  if (refreshAfter !== undefined && !(refreshAfter >= 0)) {
    yield ['refreshAfter', `its refreshAfter is ${refreshAfter}. It must be 0 milliseconds or more.`];
  }
}

function* listChoiceProblems({
  transport,
  keepSession,
  drift,
  elicitation,
}: McpClient): Generator<FieldProblem> {
  if (transport !== undefined) {
    yield* listUnknownChoiceProblems({ field: 'transport', value: transport }, ['streamable-http', 'sse']);
  }
  if (keepSession === true && transport === 'sse') {
    const problem =
      "it has `keepSession`, but sessions of the transport 'sse' end with their connection. Use another transport.";
    yield ['keepSession', problem];
  }
  yield* listUnknownChoiceProblems({ field: 'drift', value: drift }, ['report', 'refuse-weaker', 'refuse']);
  if (typeof elicitation !== 'object') {
    return yield* listUnknownChoiceProblems({ field: 'elicitation', value: elicitation }, ['refuse']);
  }
  const { by, expires } = elicitation;
  if (by?.trim() === '') {
    yield ['elicitation.by', 'its elicitation.by is blank. It must be a role.'];
  }
  if (expires !== undefined && !(expires > 0)) {
    const problem = `its elicitation.expires is ${expires}. It must be more than 0 milliseconds.`;
    yield ['elicitation.expires', problem];
  }
}

/** The value of one property, to be checked. */
interface CheckedChoice {
  readonly field: string;
  /** The name of the property in errors. Defaults to `its ...`. */
  readonly what?: string;
  readonly value: string;
}

function* listUnknownChoiceProblems(
  { field, what = `its ${field}`, value }: CheckedChoice,
  choices: readonly string[],
): Generator<FieldProblem> {
  if (choices.includes(value)) return;
  const listed = choices.map((choice) => `'${choice}'`).join(' or ');
  const said = shorten(String(value), 80);
  const meant = findByPrefix(said, choices);
  const hint = meant === undefined ? '' : ` Did you mean '${meant}'?`;
  yield [field, `${what} is '${said}'. It must be ${listed}.${hint}`];
}
