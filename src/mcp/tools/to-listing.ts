import type { Tool } from '@modelcontextprotocol/client';
import { withoutDefaultsRequired } from '../../modules/json-schema/change-schema.ts';
import { type Unchecked, uncheckedIn } from '../../modules/json-schema/check.ts';
import { usableSchema } from '../../modules/json-schema/schema-check.ts';
import { bareSchema } from '../../modules/json-schema/wider-schema.ts';
import { memoized, sha256Hex } from '../../tool/async.ts';
import { copyJson } from '../../tool/copy-json.ts';
import { hash32, isJsonObject, type Json, type JsonObject, shorten } from '../../tool/json.ts';
import type { Spoken } from '../client/discover.ts';
import type { McpClient } from '../client/mcp-client.ts';
import { type HeaderFault, headerFault } from '../content/rpc.ts';
import { type Telling, warn } from '../content/words.ts';
import { canonicalJson, type ListedTool, type McpListing, type ToolHints } from './listing.ts';
import { fewOf, logged, type Settled, settleTools, warnOfLeftOut, warnOfWeaker } from './settle-tools.ts';

/** The most tools of one list: no provider offers a model more. */
const MAX_TOOLS = 1_000;
/** What a session knew when the server was asked. */
interface ListedAbout extends Telling {
  readonly former: McpListing | undefined;
  /** Milliseconds since the epoch. */
  readonly now: number;
  /** What the server speaks. */
  readonly spoken?: Spoken | undefined;
  /** Milliseconds for which the server says that the list is current. */
  readonly ttl?: number | undefined;
}

/**
 * Makes of what a server says of its tools what a session can keep: plain data within limits, the first of two with one name, each
 * with a fingerprint of all that was said of it. What cannot be used is left out, and logged by name. What changed since the
 * former listing is in `drift`, and a client that refuses it keeps what the session saw first (see `settleTools`).
 */
export async function toListing(
  client: McpClient,
  tools: readonly Tool[],
  { former, now, spoken, ttl, ...told }: ListedAbout,
): Promise<McpListing> {
  const read = readTools({ server: client.name, hasHeaders: spoken?.era === 'stateless' }, tools);
  const readable = read.filter((one): one is Readable => one.ok);
  const listed = await Promise.all(readable.map(fingerprinted));
  const settled = settleTools(client, listed, former);
  const unreadable = read.flatMap((one) => (one.ok ? [] : [one]));
  warnOfLeftOut(client.name, [...unreadable, ...settled.leftOut], told);
  warnOfUnchecked(client, readable, told);
  warnOfWeaker(client.name, settled.weaker, told);
  return {
    client: client.name,
    at: now,
    fingerprint: await fingerprintOf(settled),
    tools: settled.tools,
    ...(settled.gone.length > 0 && { gone: settled.gone }),
    ...(settled.drift && { drift: settled.drift }),
    ...(spoken && { spoken }),
    ...(ttl !== undefined && { ttl }),
  };
}

function readTools(by: ListedBy, tools: readonly unknown[]): readonly ReadTool[] {
  const names = new Set<string>();
  let usable = 0;
  return tools.map((listed) => {
    const name: unknown =
      typeof listed === 'object' && listed !== null ? Reflect.get(listed, 'name') : undefined;
    if (typeof name !== 'string') return readTool(by, listed);
    if (names.has(name)) return { ok: false, name, reason: 'is there already' };
    names.add(name);
    if (usable >= MAX_TOOLS) return { ok: false, name, reason: `is beyond the ${MAX_TOOLS} tools of a list` };
    const read = readTool(by, listed);
    if (read.ok) usable += 1;
    return read;
  });
}

type Readable = Extract<ReadTool, { ok: true }>;

const fingerprinted = async ({ tool, said, exact }: Readable): Promise<ListedTool> => ({
  ...tool,
  fingerprint: await sha256Hex(said),
  ...(exact !== undefined && { exact: await sha256Hex(exact) }),
});

/** Makes the fingerprint also of what is refused, so that a listing which comes to something else has another one. */
function fingerprintOf({ tools, gone }: Pick<Settled, 'tools' | 'gone'>): Promise<string> {
  const marks = (kind: string, of: Settled['gone']): readonly string[] =>
    of.map(({ name, fingerprint, latest = null, first }) =>
      canonicalJson([kind, name, fingerprint, latest, ...(first ? [first.fingerprint] : [])]),
    );
  return sha256Hex([...marks('tool', tools), ...marks('gone', gone)].sort().join('\n'));
}

/** Logs which tools assert of their input what only their server can check, once for what it says of each. */
function warnOfUnchecked(client: McpClient, readable: readonly Readable[], to: Telling): void {
  const told = toldOf(client);
  const news = readable.filter(({ said, unchecked }) => unchecked.length > 0 && !told.has(hash32(said)));
  // A server that says something else each time is not listened to for ever.
  if (news.length === 0 || told.size > MOST_TOLD) return;
  for (const { said } of news) told.add(hash32(said));
  const named = news.map(({ tool, unchecked: [first, ...others] }) => {
    const more = others.length > 0 ? ` and ${others.length} more` : '';
    return `${logged(to.secrets.redact(tool.name))} ${first?.assertion} at ${first?.path}${more}`;
  });
  const what = 'asserts of inputs what is not checked here, but by the server alone';
  warn(`MCP server '${client.name}' ${what}: ${fewOf(named)}.`, to);
}

/** Tools of a client that one isolate logs. */
const MOST_TOLD = 1_000;

/** What this isolate has logged of a client's tools. */
const toldOf = memoized((_: McpClient): Set<number> => new Set());

const MAX_NAME = 128;
const MAX_TITLE = 200;
/** The most characters of a description, of which a model reads every one before each reply. */
const MAX_DESCRIPTION = 8 * 1024;
/** The most characters of JSON of both schemas. */
const MAX_SCHEMAS = 64 * 1024;

/** One tool as a server listed it, made safe; or why it cannot be used, to complete "'x' ...". */
type ReadTool =
  | {
      readonly ok: true;
      readonly tool: Omit<ListedTool, 'fingerprint' | 'exact'>;
      /** All that was said of it that a model or our code goes by, in one text for the fingerprint. */
      readonly said: string;
      /** What its input schema asserts and nobody checks here. */
      readonly unchecked: readonly Unchecked[];
      /** What its input schema says of values, where the copy of it says less. */
      readonly exact: string | undefined;
    }
  | { readonly ok: false; readonly name: string; readonly reason: string };

/** The server that lists a tool. */
interface ListedBy {
  /** The name of its client. */
  readonly server: string;
  /** It is sent parts of an input as headers where a tool asks for that: it speaks a revision that has them. */
  readonly hasHeaders: boolean;
}

/**
 * Reads a tool of a server's list (MCP specification, "Tool"). An output schema that cannot be used is dropped, as if there
 * were none; a tool whose input schema cannot be used is left out. Never throws.
 */
function readTool({ server, hasHeaders }: ListedBy, listed: unknown): ReadTool {
  const copy = copyJson(listed);
  const raw = copy.ok && isJsonObject(copy.value) ? copy.value : undefined;
  const name = text(raw?.name) ?? '';
  const leftOut = (reason: string): ReadTool => ({ ok: false, name, reason });
  if (!raw) return leftOut('is not a JSON object');
  if (!isName(name)) return leftOut(`has no name of 1 to ${MAX_NAME} characters`);
  // It would have to be called in another way (MCP specification, "Tasks").
  if (isJsonObject(raw.execution) && raw.execution.taskSupport === 'required')
    return leftOut('runs as a task only');
  const schemas = JSON.stringify([raw.inputSchema, raw.outputSchema]);
  if (schemas.length > MAX_SCHEMAS) return leftOut(`has schemas of more than ${MAX_SCHEMAS} characters`);
  // The server fills in what has a default: some list it as required, by the schema of what they get themselves.
  const lenient = raw.inputSchema === undefined ? undefined : withoutDefaultsRequired(raw.inputSchema);
  const inputSchema = usableSchema(lenient);
  if (!inputSchema) return leftOut('has an input schema that cannot be used');
  const fault = hasHeaders && isJsonObject(raw.inputSchema) ? headerFault(raw.inputSchema) : undefined;
  if (fault !== undefined) return leftOut(UNSENDABLE[fault.kind]);
  const outputSchema = usableSchema(raw.outputSchema);
  const title = titleOf(raw);
  const hints = hintsOf(raw.annotations);
  const tool = {
    name,
    ...(title && { title }),
    description: descriptionOf(server, name, raw),
    inputSchema,
    ...(outputSchema && { outputSchema }),
    ...(hints && { hints }),
  };
  return {
    ok: true,
    tool,
    said: saidOf(raw),
    exact: exactOf(lenient, inputSchema),
    unchecked: uncheckedIn(Object(raw.inputSchema)),
  };
}

/** Why a tool whose headers cannot be sent is left out, to complete "'x' ...". */
const UNSENDABLE: Readonly<Record<HeaderFault['kind'], string>> = {
  place: 'asks for a header of what is no property of its input',
  name: 'asks for a header by a name that none can have',
  type: 'asks for a header of what is no text, integer or boolean',
  twice: 'asks for two headers of one name',
};

function exactOf(said: Json | undefined, kept: JsonObject): string | undefined {
  const [exact, less] = [said ?? null, kept].map((schema) => canonicalJson(bareSchema(schema)));
  return exact === less ? undefined : exact;
}

/** A name is echoed in logs and to models, so it is one line, and all of it can be seen. */
const isName = (name: string): boolean =>
  name.trim() !== '' &&
  name.length <= MAX_NAME &&
  !/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u.test(name) &&
  name.isWellFormed();

const text = (value: Json | undefined): string | undefined => (typeof value === 'string' ? value : undefined);

/** Writes what the server says, before anything is cut, so that nothing of it can change unseen. */
function saidOf({ name, title, description, inputSchema, outputSchema, annotations }: JsonObject): string {
  const hinted = isJsonObject(annotations)
    ? [annotations.title, ...HINTS.map((hint) => annotations[hint])]
    : [];
  const said = [name, title, description, inputSchema, outputSchema, ...hinted];
  return canonicalJson(said.map((value) => value ?? null));
}

/** Servers of before 2025-06-18 have it among the annotations. */
function titleOf({ title, annotations }: JsonObject): string | undefined {
  const words = text(title) ?? (isJsonObject(annotations) ? text(annotations.title) : undefined);
  return shorten((words ?? '').toWellFormed().trim(), MAX_TITLE) || undefined;
}

function descriptionOf(server: string, name: string, raw: JsonObject): string {
  const described = (text(raw.description) ?? '').toWellFormed().trim();
  return (
    shorten(described, MAX_DESCRIPTION) ||
    (titleOf(raw) ?? `The tool '${name}' of the MCP server '${server}'.`)
  );
}

const HINTS = ['readOnlyHint', 'destructiveHint', 'idempotentHint', 'openWorldHint'] as const;

function hintsOf(annotations: Json | undefined): ToolHints | undefined {
  if (!isJsonObject(annotations)) return undefined;
  const given = HINTS.filter((hint) => typeof annotations[hint] === 'boolean');
  return given.length === 0
    ? undefined
    : Object.fromEntries(given.map((hint) => [hint, annotations[hint] === true]));
}
