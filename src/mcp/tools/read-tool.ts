import { type Unchecked, uncheckedIn } from '../../modules/json-schema/check.ts';
import { copyJson } from '../../tool/copy-json.ts';
import { isJsonObject, type Json, type JsonObject, shorten } from '../../tool/json.ts';
import { type HeaderFault, headerFault } from '../content/param-headers.ts';
import { canonicalJson, type ListedTool, type ToolHints } from './listing.ts';
import { usableSchema } from './usable-schema.ts';
import { bareSchema } from './wider-schema.ts';

const MAX_NAME = 128;
const MAX_TITLE = 200;
/** The most characters of a description, of which a model reads every one before each reply. */
const MAX_DESCRIPTION = 8 * 1024;
/** The most characters of JSON of both schemas. */
const MAX_SCHEMAS = 64 * 1024;

/** One tool as a server listed it, made safe; or why it cannot be used, to complete "'x' ...". */
export type ReadTool =
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
export interface ListedBy {
  /** The name of its client. */
  readonly server: string;
  /** It is sent parts of an input as headers where a tool asks for that: it speaks a revision that has them. */
  readonly hasHeaders: boolean;
}

/**
 * Reads a tool of a server's list (MCP specification, "Tool"). An output schema that cannot be used is dropped, as if there
 * were none; a tool whose input schema cannot be used is left out. Never throws.
 */
export function readTool({ server, hasHeaders }: ListedBy, listed: unknown): ReadTool {
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
  const inputSchema = usableSchema(raw.inputSchema);
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
    exact: exactOf(raw.inputSchema, inputSchema),
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
