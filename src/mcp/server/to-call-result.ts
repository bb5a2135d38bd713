import { type CallToolResult, type ContentBlock, isSpecType } from '@modelcontextprotocol/server';
import { listPendingViews } from '../../modules/answers/questions.ts';
import type { TurnAnswer, TurnOutcome } from '../../session/watching/turn-outcome.ts';
import {
  type FileContent,
  formatFileLine,
  isFile,
  isStoredFile,
  type StoredFile,
  toBase64,
} from '../../tool/content.ts';
import { isJsonObject, type Json } from '../../tool/json.ts';
import { createToolResult, listResultParts, type ResultData } from '../../tool/tool-result.ts';
import { getTurnPath, type Target } from '../../worker/target.ts';
import type { PendingView } from '../../worker/turn-view.ts';
import { lacksBytes, McpContent, restoreBytes } from '../content/mcp-content.ts';
import { formatBlock, toOneLine } from '../content/words.ts';
import { toResourceLinks } from './session-resources.ts';

export const createTextBlock = (text: string) => ({ type: 'text', text }) as const;

/**
 * Converts a tool's result to a response. An error stays an error, as `isError`, without the prefix `Error`.
 * If the value of an artifact is an object, it also becomes structured content, which must be an object; its
 * text is included for every client. Files are sent with their bytes from `read`. A text replaces a file
 * without bytes. MCP content is sent unchanged.
 *
 * @throws the errors of `read`.
 */
export async function toCallResult(result: ResultData, read: StoredFileReader): Promise<CallToolResult> {
  if (result.type === 'error') return toErrorResult(result.message);
  const stored = listResultParts(result).filter(isStoredFile);
  const bytes = new Map<string, string>();
  for (const file of stored) {
    const found = await read(file);
    if (found) bytes.set(file.id, toBase64(found));
  }
  const content = toBlocks(result, bytes);
  if (result.type !== 'artifact') return { content };
  return result.artifactType === McpContent.name
    ? toMcpContent(result.value, bytes, content)
    : { content, ...(isJsonObject(result.value) && { structuredContent: result.value }) };
}

/** Returns the bytes of a file, or `undefined` if they are missing. */
type StoredFileReader = (file: StoredFile) => Promise<Uint8Array | undefined>;

type Base64ByFile = ReadonlyMap<string, string>;

/** Returns the texts and files of a result, or only its text. */
function toBlocks(result: ResultData, bytes: Base64ByFile): ContentBlock[] {
  const parts = listResultParts(result);
  return parts.length === 0
    ? [createTextBlock(createToolResult(result).content)]
    : parts.map((part) => (isFile(part) ? toFileBlock(part, bytes) : createTextBlock(part.text)));
}

const MISSING_BYTES_NOTE = '(its bytes are missing)';

function toFileBlock(file: FileContent, bytes: Base64ByFile): ContentBlock {
  const { mediaType: mimeType, name } = file;
  if ('url' in file) return { type: 'resource_link', uri: file.url, name: name ?? file.url, mimeType };
  const data = isStoredFile(file) ? bytes.get(file.id) : undefined;
  if (!isStoredFile(file) || data === undefined)
    return createTextBlock(`${formatFileLine(file)} ${MISSING_BYTES_NOTE}`);
  const [type] = mimeType.split('/', 1);
  if (type === 'image' || type === 'audio') return { type, data, mimeType };
  // Clients name a resource after the last part of its URI.
  const uri = ['holdfast://files', file.id, ...(name === undefined ? [] : [encodeURIComponent(name)])].join(
    '/',
  );
  return { type: 'resource', resource: { uri, mimeType, blob: data } };
}

/**
 * Returns MCP content, or `words` if it is invalid: one invalid block would make a client refuse the whole
 * response.
 */
function toMcpContent(value: Json, bytes: Base64ByFile, words: ContentBlock[]): CallToolResult {
  const read = McpContent.parse(restoreBytes(value, bytes));
  if (!read.ok) return { content: words };
  const { content, structuredContent } = read.value;
  const told = content.map((block): unknown =>
    lacksBytes(block) ? createTextBlock(`${formatBlock(block)} ${MISSING_BYTES_NOTE}`) : block,
  );
  return {
    content: told.every(isSpecType.ContentBlock) ? told : words,
    ...(structuredContent && { structuredContent }),
  };
}

/** Creates a response that gives the calling model the reason for a failure. */
export const toErrorResult = (message: string): CallToolResult => ({
  isError: true,
  content: [createTextBlock(message)],
});

export interface PublishedAgentCall {
  readonly target: Target;
  /** The agent's name for clients. */
  readonly name: string;
  /** `true` if the session is new, so the client needs its name. */
  readonly isNew: boolean;
}

/** Creates the response to a client. A suspended or running turn is not an error. */
export function toAgentResult(call: PublishedAgentCall, outcome: TurnOutcome): CallToolResult {
  const { target } = call;
  switch (outcome.status) {
    case 'ended': {
      const { content, ...told } = toEndedResult(call, outcome.answer);
      const links = toResourceLinks({ name: call.name, session: target.session }, outcome.answer);
      return { ...told, content: [...content, ...links] };
    }
    case 'suspended': {
      const pending = listPendingViews(target, outcome.events);
      const { turn, text } = outcome.answer;
      return createResult(call, { turn, outcome: 'suspended', text, pending }, [
        text,
        formatWaiting(pending),
        formatPendingAnswer(target, turn),
      ]);
    }
    case 'queued':
    case 'kept': {
      const { turn } = outcome;
      const words = 'The message was accepted, and its turn continues.';
      return createResult(call, { turn, outcome: 'running', text: '' }, [
        words,
        formatPendingAnswer(target, turn),
      ]);
    }
  }
}

/**
 * Returns the response for an ended turn. A turn that met a limit has an answer, even if not its best one. A
 * cancelled or failed turn is an error.
 */
function toEndedResult(
  call: PublishedAgentCall,
  { turn, outcome, limit, text, object, error, signal }: TurnAnswer,
): CallToolResult {
  const told = { outcome, ...(limit && { limit }) };
  const view = { turn, ...told, text, ...(object !== undefined && { object }), ...(error && { error }) };
  switch (outcome) {
    case 'completed':
    case 'returned-direct':
      return createResult(call, view, [text]);
    case 'limit-reached':
      return createResult(call, view, [
        text,
        'The agent reached a limit before it was done. This is its result so far.',
      ]);
    case 'cancelled': {
      const why = signal ? `The turn was ended: ${signal.reason}` : 'The turn was cancelled.';
      return { ...createResult(call, view, [why, text]), isError: true };
    }
    case 'failed': {
      const why = `${error?.message ?? 'The turn failed.'} The conversation is kept. Send another message to continue.`;
      return { ...createResult(call, view, [why, text]), isError: true };
    }
  }
}

/** Returns the text for a suspended turn: its questions and where to answer them. */
export const formatWaiting = (pending: readonly PendingView[]): string =>
  `The turn waits for an answer from outside, and then continues:${listPending(pending)}`;

/** Creates a response with a block for each text, because some clients show a model only content blocks. */
function createResult(
  { target, name, isNew }: PublishedAgentCall,
  view: { readonly turn: string; readonly [key: string]: unknown },
  words: readonly string[],
): CallToolResult {
  const goOn = `To continue this conversation, call '${name}' with the session '${target.session}'.`;
  const said = words.filter((text) => text !== '');
  return {
    content: [...(said.length > 0 ? said : ['']), ...(isNew ? [goOn] : [])].map(createTextBlock),
    structuredContent: { session: target.session, path: getTurnPath(target, view.turn), ...view },
  };
}

const formatPendingAnswer = (target: Target, turn: string): string =>
  `Its answer will be at GET ${getTurnPath(target, turn)}.`;

/**
 * The maximum length of a tool's name and of a question. A question of maximum length from a server fits,
 * including the marks around it.
 */
const MAX_NAME = 80;
const MAX_MESSAGE = 2_400;

/**
 * Lists the questions of a turn, one per line, each with the URL for its answer. A question can be untrusted
 * text, such as an MCP server's, so it comes last and cannot take the position of our URL.
 */
export const listPending = (pending: readonly PendingView[]): string =>
  pending
    .map(
      ({ tool, message, links }) =>
        `\n- ${toOneLine(tool, MAX_NAME)}, answered by POST ${getAnswerUrl(links)}: ${toOneLine(message, MAX_MESSAGE)}`,
    )
    .join('');

const getAnswerUrl = (links: PendingView['links']): string =>
  'approvals' in links ? links.approvals : links.results;
