import type { Tool } from '@modelcontextprotocol/client';
import { withoutDefaultsRequired } from '../../modules/json-schema/change-schema.ts';
import { findUnchecked, type UncheckedAssertion } from '../../modules/json-schema/check.ts';
import { toUsableSchema } from '../../modules/json-schema/schema-check.ts';
import { withoutAnnotations } from '../../modules/json-schema/wider-schema.ts';
import { computeSha256Hex, memoize } from '../../tool/async.ts';
import { copyJson } from '../../tool/copy-json.ts';
import { hash32, isJsonObject, type Json, type JsonObject, shorten } from '../../tool/json.ts';
import type { KnownProtocol } from '../client/discover.ts';
import type { McpClient } from '../client/mcp-client.ts';
import { findHeaderFault, type HeaderFault } from '../content/rpc.ts';
import { logWarning, type RedactingLog } from '../content/words.ts';
import { type ListedTool, type McpListing, type ToolHints, toCanonicalJson } from './listing.ts';
import {
  formatFirst,
  logOmittedTools,
  logWeakenedTools,
  quoteName,
  type SettledTools,
  settleTools,
} from './settle-tools.ts';

/** The maximum number of tools in a list. No provider accepts more. */
const MAX_TOOLS = 1_000;
interface ListingContext extends RedactingLog {
  readonly former: McpListing | undefined;
  /** Milliseconds since the epoch. */
  readonly now: number;
  readonly spoken?: KnownProtocol | undefined;
  /** Milliseconds for which the list is current, according to the server. */
  readonly ttl?: number | undefined;
}

/**
 * Converts a server's tools to a listing for a session: plain data within limits, with a fingerprint of each
 * whole definition. If two tools share a name, it keeps the first. Unusable tools are left out, and logged by
 * name. `drift` contains the changes since the former listing. A client that refuses drift keeps the first
 * definitions (see `settleTools`).
 */
export async function toListing(
  client: McpClient,
  tools: readonly Tool[],
  { former, now, spoken, ttl, ...told }: ListingContext,
): Promise<McpListing> {
  const read = readTools({ server: client.name, hasHeaders: spoken?.era === 'stateless' }, tools);
  const readable = read.filter((one): one is ReadableTool => one.ok);
  const listed = await Promise.all(readable.map(addFingerprint));
  const settled = settleTools(client, listed, former);
  const unreadable = read.flatMap((one) => (one.ok ? [] : [one]));
  logOmittedTools(client.name, [...unreadable, ...settled.leftOut], told);
  logUncheckedTools(client, readable, told);
  logWeakenedTools(client.name, settled.weaker, told);
  return {
    client: client.name,
    at: now,
    fingerprint: await computeFingerprint(settled),
    tools: settled.tools,
    ...(settled.gone.length > 0 && { gone: settled.gone }),
    ...(settled.drift && { drift: settled.drift }),
    ...(spoken && { spoken }),
    ...(ttl !== undefined && { ttl }),
  };
}

function readTools(by: ListingServer, tools: readonly unknown[]): readonly ParsedTool[] {
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

type ReadableTool = Extract<ParsedTool, { ok: true }>;

const addFingerprint = async ({ tool, said, exact }: ReadableTool): Promise<ListedTool> => ({
  ...tool,
  fingerprint: await computeSha256Hex(said),
  ...(exact !== undefined && { exact: await computeSha256Hex(exact) }),
});

/**
 * Returns the fingerprint of a listing. It includes refusals, so a listing with a different outcome has a
 * different one.
 */
function computeFingerprint({ tools, gone }: Pick<SettledTools, 'tools' | 'gone'>): Promise<string> {
  const toMarks = (kind: string, of: SettledTools['gone']): readonly string[] =>
    of.map(({ name, fingerprint, latest = null, first }) =>
      toCanonicalJson([kind, name, fingerprint, latest, ...(first ? [first.fingerprint] : [])]),
    );
  return computeSha256Hex([...toMarks('tool', tools), ...toMarks('gone', gone)].sort().join('\n'));
}

/** Logs which tools have input constraints that only their server can check, once for each definition. */
function logUncheckedTools(client: McpClient, readable: readonly ReadableTool[], to: RedactingLog): void {
  const told = getLoggedTools(client);
  const news = readable.filter(({ said, unchecked }) => unchecked.length > 0 && !told.has(hash32(said)));
  // A server that keeps changing its definitions must not fill the log.
  if (news.length === 0 || told.size > MAX_LOGGED_TOOLS) return;
  for (const { said } of news) told.add(hash32(said));
  const named = news.map(({ tool, unchecked: [first, ...others] }) => {
    const more = others.length > 0 ? ` and ${others.length} more` : '';
    return `${quoteName(to.secrets.redact(tool.name))} ${first?.assertion} at ${first?.path}${more}`;
  });
  const what = 'has input constraints that only the server checks';
  logWarning(`MCP server '${client.name}' ${what}: ${formatFirst(named)}.`, to);
}

/** The maximum number of a client's tools to log in one isolate. */
const MAX_LOGGED_TOOLS = 1_000;

/** The hashes of a client's tools that this isolate has logged. */
const getLoggedTools = memoize((_: McpClient): Set<number> => new Set());

const MAX_NAME = 128;
const MAX_TITLE = 200;
/** The maximum length of a description. A model reads all of them before each reply. */
const MAX_DESCRIPTION = 8 * 1024;
/** The maximum length of both schemas as JSON. */
const MAX_SCHEMAS = 64 * 1024;

/** A sanitized tool from a server's list, or the reason why it cannot be used, to complete "'x' ...". */
type ParsedTool =
  | {
      readonly ok: true;
      readonly tool: Omit<ListedTool, 'fingerprint' | 'exact'>;
      /** The parts of its definition that a model or our code uses, as text for the fingerprint. */
      readonly said: string;
      /** The constraints of its input schema that only the server checks. */
      readonly unchecked: readonly UncheckedAssertion[];
      /** The digest of the original input schema, if the copy is less strict. */
      readonly exact: string | undefined;
    }
  | { readonly ok: false; readonly name: string; readonly reason: string };

/** The server that lists a tool. */
interface ListingServer {
  /** The name of its client. */
  readonly server: string;
  /** `true` if its revision supports parts of an input as headers. */
  readonly hasHeaders: boolean;
}

/**
 * Reads a tool of a server's list (MCP specification, "Tool"). Drops an unusable output schema. Leaves out a
 * tool with an unusable input schema. Never throws.
 */
function readTool({ server, hasHeaders }: ListingServer, listed: unknown): ParsedTool {
  const copy = copyJson(listed);
  const raw = copy.ok && isJsonObject(copy.value) ? copy.value : undefined;
  const name = readText(raw?.name) ?? '';
  const leaveOut = (reason: string): ParsedTool => ({ ok: false, name, reason });
  if (!raw) return leaveOut('is not a JSON object');
  if (!isName(name)) return leaveOut(`has no name of 1 to ${MAX_NAME} characters`);
  // It requires a different kind of call (MCP specification, "Tasks").
  if (isJsonObject(raw.execution) && raw.execution.taskSupport === 'required')
    return leaveOut('runs as a task only');
  const schemas = JSON.stringify([raw.inputSchema, raw.outputSchema]);
  if (schemas.length > MAX_SCHEMAS) return leaveOut(`has schemas of more than ${MAX_SCHEMAS} characters`);
  // The server fills in defaults. Some servers nevertheless list such a property as required, from their
  // internal schema.
  const lenient = raw.inputSchema === undefined ? undefined : withoutDefaultsRequired(raw.inputSchema);
  const inputSchema = toUsableSchema(lenient);
  if (!inputSchema) return leaveOut('has an input schema that cannot be used');
  const fault = hasHeaders && isJsonObject(raw.inputSchema) ? findHeaderFault(raw.inputSchema) : undefined;
  if (fault !== undefined) return leaveOut(HEADER_PROBLEMS[fault.kind]);
  const outputSchema = toUsableSchema(raw.outputSchema);
  const title = findTitle(raw);
  const hints = readHints(raw.annotations);
  const tool = {
    name,
    ...(title && { title }),
    description: getDescription(server, name, raw),
    inputSchema,
    ...(outputSchema && { outputSchema }),
    ...(hints && { hints }),
  };
  return {
    ok: true,
    tool,
    said: formatDefinition(raw),
    exact: findExactSchema(lenient, inputSchema),
    unchecked: findUnchecked(Object(raw.inputSchema)),
  };
}

/** The reasons for leaving out a tool whose headers cannot be sent, to complete "'x' ...". */
const HEADER_PROBLEMS: Readonly<Record<HeaderFault['kind'], string>> = {
  place: 'asks for a header outside the properties of its input',
  name: 'asks for a header with an invalid name',
  type: 'asks for a header of a type other than string, integer or boolean',
  twice: 'asks for two headers with one name',
};

function findExactSchema(said: Json | undefined, kept: JsonObject): string | undefined {
  const [exact, less] = [said ?? null, kept].map((schema) => toCanonicalJson(withoutAnnotations(schema)));
  return exact === less ? undefined : exact;
}

/** Logs and models show the name, so it must fit on one line and be fully visible. */
const isName = (name: string): boolean =>
  name.trim() !== '' &&
  name.length <= MAX_NAME &&
  !/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u.test(name) &&
  name.isWellFormed();

const readText = (value: Json | undefined): string | undefined =>
  typeof value === 'string' ? value : undefined;

/** Returns the whole definition as text, before any part is cut, so that every change is detected. */
function formatDefinition({
  name,
  title,
  description,
  inputSchema,
  outputSchema,
  annotations,
}: JsonObject): string {
  const hinted = isJsonObject(annotations)
    ? [annotations.title, ...HINTS.map((hint) => annotations[hint])]
    : [];
  const said = [name, title, description, inputSchema, outputSchema, ...hinted];
  return toCanonicalJson(said.map((value) => value ?? null));
}

/** Returns the title. Servers before 2025-06-18 put it into the annotations. */
function findTitle({ title, annotations }: JsonObject): string | undefined {
  const words = readText(title) ?? (isJsonObject(annotations) ? readText(annotations.title) : undefined);
  return shorten((words ?? '').toWellFormed().trim(), MAX_TITLE) || undefined;
}

function getDescription(server: string, name: string, raw: JsonObject): string {
  const described = (readText(raw.description) ?? '').toWellFormed().trim();
  return (
    shorten(described, MAX_DESCRIPTION) ||
    (findTitle(raw) ?? `The tool '${name}' of the MCP server '${server}'.`)
  );
}

const HINTS = ['readOnlyHint', 'destructiveHint', 'idempotentHint', 'openWorldHint'] as const;

function readHints(annotations: Json | undefined): ToolHints | undefined {
  if (!isJsonObject(annotations)) return undefined;
  const given = HINTS.filter((hint) => typeof annotations[hint] === 'boolean');
  return given.length === 0
    ? undefined
    : Object.fromEntries(given.map((hint) => [hint, annotations[hint] === true]));
}
