/** Finds the files in a request's conversation, independently of the wire's format. */
import { readAnthropicFiles } from '../anthropic.ts';
import { readChatFiles } from '../chat-completions.ts';
import type { SentFile } from '../files.ts';
import { readGeminiFiles } from '../gemini.ts';
import { readResponsesFiles } from '../responses.ts';
import { isRecord } from '../wire.ts';
import type { WireName } from './servers.ts';

/** A file of a request, with its position. */
export interface PlacedFile extends SentFile {
  /** The number of model replies before it. */
  readonly replies: number;
  /** The number of call results before it, including the one that contains the file. */
  readonly results: number;
}

/** The content of a request's conversation. */
export interface RequestContent {
  readonly replies: number;
  readonly files: readonly PlacedFile[];
}

/** Reads a request to a wire's strict server. */
export async function readRequest(wire: WireName, body: unknown): Promise<RequestContent> {
  const { read, piecesOf } = getReader(wire);
  const files: PlacedFile[] = [];
  let [replies, results] = [0, 0];
  let before: Side | undefined;
  for (const { side, alone } of piecesOf(Object(body))) {
    if (side === 'model' && before !== 'model') replies += 1;
    if (side === 'result') results += 1;
    before = side;
    if (side !== 'model') files.push(...(await read(alone)).map((file) => ({ ...file, replies, results })));
  }
  return { replies, files };
}

type Side = 'user' | 'model' | 'result';
type Body = Readonly<Record<string, unknown>>;

/** A part of a conversation that one side wrote. */
interface Piece {
  readonly side: Side;
  /** The request with only this piece as its conversation. */
  readonly alone: Body;
}

interface Reader {
  readonly read: (body: unknown) => Promise<readonly SentFile[]>;
  readonly piecesOf: (body: Body) => readonly Piece[];
}

function getReader(wire: WireName): Reader {
  if (wire.startsWith('anthropic')) return { read: readAnthropicFiles, piecesOf: splitAnthropic };
  if (wire.startsWith('responses')) return { read: readResponsesFiles, piecesOf: splitResponses };
  return wire === 'gemini'
    ? { read: readGeminiFiles, piecesOf: splitGemini }
    : { read: readChatFiles, piecesOf: splitChat };
}

const filterRecords = (list: unknown): readonly Body[] => (Array.isArray(list) ? list.filter(isRecord) : []);

/** Splits messages into pieces. Each result is a block in a user message. */
const splitAnthropic = (body: Body): readonly Piece[] =>
  filterRecords(body.messages).flatMap((message): readonly Piece[] => {
    if (message.role === 'assistant') return [{ side: 'model', alone: body }];
    return filterRecords(message.content).map((block) => ({
      side: block.type === 'tool_result' ? 'result' : 'user',
      alone: { ...body, messages: [{ ...message, content: [block] }] },
    }));
  });

const splitGemini = (body: Body): readonly Piece[] =>
  filterRecords(body.contents).flatMap((content): readonly Piece[] => {
    if (content.role === 'model') return [{ side: 'model', alone: body }];
    return filterRecords(content.parts).map((part) => ({
      side: part.functionResponse === undefined ? 'user' : 'result',
      alone: { ...body, contents: [{ ...content, parts: [part] }] },
    }));
  });

const splitChat = (body: Body): readonly Piece[] =>
  filterRecords(body.messages).flatMap((message): readonly Piece[] => {
    const side = ROLE_SIDES.get(message.role);
    return side ? [{ side, alone: { ...body, messages: [message] } }] : [];
  });

const ROLE_SIDES: ReadonlyMap<unknown, Side> = new Map([
  ['user', 'user'],
  ['assistant', 'model'],
  ['tool', 'result'],
]);

/** Splits items into pieces. A reply has several items. Items about later tools belong to no side. */
const splitResponses = (body: Body): readonly Piece[] =>
  filterRecords(body.input).flatMap((item): readonly Piece[] => {
    const side =
      item.role === 'user' ? 'user' : ITEM_SIDES.get(item.role === 'assistant' ? 'message' : item.type);
    return side ? [{ side, alone: { ...body, input: [item] } }] : [];
  });

const ITEM_SIDES: ReadonlyMap<unknown, Side> = new Map([
  ['message', 'model'],
  ['reasoning', 'model'],
  ['function_call', 'model'],
  ['item_reference', 'model'],
  ['function_call_output', 'result'],
]);
