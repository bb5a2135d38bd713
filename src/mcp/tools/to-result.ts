import type { CallToolResult } from '@modelcontextprotocol/client';
import { createSchemaCheck } from '../../modules/json-schema/schema-check.ts';
import { attempt } from '../../tool/async.ts';
import { copyJson } from '../../tool/copy-json.ts';
import {
  isEqualJson,
  isJsonObject,
  type Json,
  type JsonObject,
  joinParagraphs,
  shorten,
} from '../../tool/json.ts';
import { content } from '../../tool/to-tool-result.ts';
import { artifact, createToolResult, error, type ToolResult, text } from '../../tool/tool-result.ts';
import type { McpClient } from '../client/mcp-client.ts';
import { McpServerError, type RemoteRequest } from '../client/mcp-connection.ts';
import { findBase64, McpContent, toBlockFiles } from '../content/mcp-content.ts';
import { RPC_CODE } from '../content/rpc.ts';
import { type ContentWords, toContentWords } from '../content/words.ts';
import type { ListedTool } from './listing.ts';

/** The maximum length of a path, whose names a server chooses. */
const MAX_PATH = 200;

/**
 * The maximum length of a result that does not match its schema. The model sees it to understand the outcome.
 */
const MAX_UNCHECKED = 4_000;

/**
 * Converts the response of a server's tool (MCP specification, "Tool Result") to a result.
 *
 * Text alone becomes a text. Structured content becomes an artifact, which the model reads as JSON unless the
 * server also sent it as text. With images, audio, resources or links, or with content for the user only, the
 * artifact is a `McpContent` with the whole content. The model then receives texts, images, audio and bytes
 * of resources as files, and a line for each other block. `isError` becomes an error as text, with a line for
 * each file. Neither texts nor errors contain binary data.
 *
 * A response that does not match the tool's output schema is an error that states that the tool ran. Never
 * throws. The connection (`maxResponseBytes`), the journal and `truncateToolResults` limit the size.
 */
export async function toResult(tool: ListedTool, answer: CallToolResult): Promise<ToolResult> {
  const copy = copyJson(answer);
  if (!copy.ok) {
    const { path, what } = copy.problem;
    const at = shorten(path, MAX_PATH);
    return error(
      `${formatRan(tool)}, but its answer cannot be kept: the value at \`${at}\` is ${what}. ${NO_REPEAT_ADVICE}`,
    );
  }
  const { content: said, structuredContent, isError } = isJsonObject(copy.value) ? copy.value : {};
  const blocks = Array.isArray(said) ? said.filter(isJsonObject) : [];
  const structured = isJsonObject(structuredContent) ? structuredContent : undefined;
  const read: RemoteAnswer = { blocks, structured, inWords: toContentWords(blocks) };
  if (isError === true) {
    return error(formatAnswer(read).trim() || `MCP tool '${tool.name}' failed and did not say why.`);
  }
  const problem = findMismatch(tool, structured);
  return problem === undefined ? await toAnswerResult(read) : error(formatMismatch(tool, problem, read));
}

/** A response as plain data. */
interface RemoteAnswer {
  readonly blocks: readonly JsonObject[];
  readonly structured: JsonObject | undefined;
  readonly inWords: ContentWords;
}

async function toAnswerResult(answer: RemoteAnswer): Promise<ToolResult> {
  const { blocks, structured, inWords } = answer;
  const { words, hasText, isAll } = inWords;
  if (!isAll) {
    const { parts, kept } = await toBlockFiles(blocks);
    const said = parts.length === 0 ? formatAnswer(answer) : content([...getDataLines(answer), ...parts]);
    return artifact(said, McpContent, kept(blocks, structured));
  }
  if (structured) {
    const saysMore = hasText && !isJsonTextOf(words, structured);
    return saysMore ? artifact(words, structured) : createToolResult({ type: 'artifact', value: structured });
  }
  return text(blocks.length === 0 ? 'Done' : words);
}

const formatAnswer = (answer: RemoteAnswer): string =>
  joinParagraphs(...getDataLines(answer), answer.inWords.words);

/** Returns data as JSON, if the server has not sent it as text. */
function getDataLines({ blocks, structured, inWords: { hasText } }: RemoteAnswer): readonly string[] {
  return !structured || hasText || repeatsBinary(structured, blocks) ? [] : [JSON.stringify(structured)];
}

/** Returns whether structured content repeats the base64 of blocks, which is useless to a model. */
function repeatsBinary(structured: JsonObject, blocks: readonly JsonObject[]): boolean {
  const binaries = new Set<Json | undefined>(blocks.map(findBase64));
  const isRepeated = (value: Json): boolean =>
    typeof value === 'object' && value !== null ? Object.values(value).some(isRepeated) : binaries.has(value);
  return isRepeated(structured);
}

/**
 * Returns whether a text repeats structured content, as servers do for older clients (MCP specification,
 * "Structured Content").
 */
function isJsonTextOf(words: string, value: Json): boolean {
  const parsed = attempt((): Json => JSON.parse(words));
  return parsed.ok && isEqualJson(parsed.value, value);
}

/**
 * Returns the problem with structured content, to complete "its answer is not what its output schema says:
 * ...".
 */
function findMismatch({ outputSchema }: ListedTool, structured: JsonObject | undefined): string | undefined {
  if (!outputSchema) return undefined;
  if (!structured) return 'it holds no structured content';
  const checked = attempt(() => createSchemaCheck(outputSchema)(structured, 'first'));
  if (!checked.ok) return 'it could not be checked';
  return checked.value.length === 0 ? undefined : checked.value.map(withoutFinalPeriod).join('; ');
}

const withoutFinalPeriod = (line: string): string => line.replace(/\.$/, '');

/** Returns the text for a model, which must not mistake it for a failure and repeat the call. */
function formatMismatch(tool: ListedTool, problem: string, answer: RemoteAnswer): string {
  const words = shorten(formatAnswer(answer), MAX_UNCHECKED).trim();
  const answered = words === '' ? '' : `\n\nIts answer, unchecked:\n${words}`;
  return `${formatRan(tool)}, but its answer is not what its output schema says: ${problem}. ${NO_REPEAT_ADVICE}${answered}`;
}

const formatRan = ({ name }: ListedTool): string => `MCP tool '${name}' ran`;

const NO_REPEAT_ADVICE = 'Do not call it again for this.';

/** The connection of one call to a server. */
export interface RemoteServer {
  readonly client: McpClient;
  /** Sends a request. @throws McpServerError if it fails. */
  request(asked: Omit<RemoteRequest, 'meta' | 'continuation'>): Promise<JsonObject>;
}

/** The maximum number of pages in a list. Each is a request. */
const MAX_PAGES = 20;

/** A server's list, as far as it was read. */
interface Pages {
  readonly items: readonly JsonObject[];
  /** `true` if there is more. */
  readonly isCut: boolean;
  /** The reason why a part is missing. */
  readonly problem?: string | undefined;
}

/**
 * Reads the pages of a list (MCP specification, Pagination). Together they have the size limit of one
 * response.
 */
export async function readPages(
  { client, request }: RemoteServer,
  asked: Pick<RemoteRequest, 'method' | 'offer'>,
): Promise<Pages> {
  const items: JsonObject[] = [];
  const seen = new Set<Json>();
  let length = 0;
  let cursor: Json | undefined;
  do {
    if (cursor !== undefined) seen.add(cursor);
    const page = await request({ ...asked, params: cursor === undefined ? {} : { cursor } });
    const list = Object.values(page).find(Array.isArray);
    items.push(...(list ?? []).filter(isJsonObject));
    length += JSON.stringify(page).length;
    cursor = page.nextCursor;
    if (typeof cursor !== 'string') return { items, isCut: false };
  } while (!seen.has(cursor) && seen.size < MAX_PAGES - 1 && length <= client.maxResponseBytes);
  return { items, isCut: true };
}

/**
 * Returns an empty list of templates after an error. Servers without templates often do not know the method.
 * Any other problem with templates must not hide the resources.
 */
export function createNoTemplatesPage(thrown: unknown): Pages {
  if (!(thrown instanceof McpServerError)) throw thrown;
  const isUnknown = thrown.code === RPC_CODE.methodNotFound;
  return { items: [], isCut: false, ...(!isUnknown && { problem: thrown.message }) };
}

/** The maximum number of lines for a model, and their maximum length in characters. */
const MAX_LINES = 100;

const MAX_SHOWN = 16_000;

interface LineList extends Omit<Pages, 'items'> {
  readonly lines: readonly string[];
  readonly from: Json;
}

export function toListResult(what: string, { lines, isCut, problem, from }: LineList): ToolResult {
  const first = Number(from);
  const shown: string[] = [];
  let length = 0;
  for (const line of lines.slice(first - 1, first - 1 + MAX_LINES)) {
    length += line.length;
    if (length > MAX_SHOWN && shown.length > 0) break;
    shown.push(line);
  }
  const next = first + shown.length;
  const notes = [
    ...(shown.length === 0 ? [`There are no ${what}${first > 1 ? ` from number ${first} on` : ''}.`] : []),
    ...(next <= lines.length ? [`There are ${lines.length}: go on with {"from": ${next}}.`] : []),
    ...(isCut ? ['The server has more, which were not read.'] : []),
    ...(problem === undefined ? [] : [problem]),
  ];
  return text([...shown, ...notes].join('\n'));
}
