/** Finds the files in a request's conversation, independently of the wire's format. */
import { filesToAnthropic } from '../anthropic.ts';
import { filesToChat } from '../chat-completions.ts';
import type { SentFile } from '../files.ts';
import { filesToGemini } from '../gemini.ts';
import { filesToResponses } from '../responses.ts';
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
export interface ReadRequest {
  readonly replies: number;
  readonly files: readonly PlacedFile[];
}

/** Reads a request to a wire's strict server. */
export async function readRequest(wire: WireName, body: unknown): Promise<ReadRequest> {
  const { read, piecesOf } = readerOf(wire);
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

function readerOf(wire: WireName): Reader {
  if (wire.startsWith('anthropic')) return { read: filesToAnthropic, piecesOf: anthropicPieces };
  if (wire.startsWith('responses')) return { read: filesToResponses, piecesOf: responsesPieces };
  return wire === 'gemini'
    ? { read: filesToGemini, piecesOf: geminiPieces }
    : { read: filesToChat, piecesOf: chatPieces };
}

const recordsIn = (list: unknown): readonly Body[] => (Array.isArray(list) ? list.filter(isRecord) : []);

/** Splits messages into pieces. Each result is a block in a user message. */
const anthropicPieces = (body: Body): readonly Piece[] =>
  recordsIn(body.messages).flatMap((message): readonly Piece[] => {
    if (message.role === 'assistant') return [{ side: 'model', alone: body }];
    return recordsIn(message.content).map((block) => ({
      side: block.type === 'tool_result' ? 'result' : 'user',
      alone: { ...body, messages: [{ ...message, content: [block] }] },
    }));
  });

const geminiPieces = (body: Body): readonly Piece[] =>
  recordsIn(body.contents).flatMap((content): readonly Piece[] => {
    if (content.role === 'model') return [{ side: 'model', alone: body }];
    return recordsIn(content.parts).map((part) => ({
      side: part.functionResponse === undefined ? 'user' : 'result',
      alone: { ...body, contents: [{ ...content, parts: [part] }] },
    }));
  });

const chatPieces = (body: Body): readonly Piece[] =>
  recordsIn(body.messages).flatMap((message): readonly Piece[] => {
    const side = SIDES.get(message.role);
    return side ? [{ side, alone: { ...body, messages: [message] } }] : [];
  });

const SIDES: ReadonlyMap<unknown, Side> = new Map([
  ['user', 'user'],
  ['assistant', 'model'],
  ['tool', 'result'],
]);

/** Splits items into pieces. A reply has several items, and items about later tools belong to no side. */
const responsesPieces = (body: Body): readonly Piece[] =>
  recordsIn(body.input).flatMap((item): readonly Piece[] => {
    const side = item.role === 'user' ? 'user' : ITEMS.get(item.role === 'assistant' ? 'message' : item.type);
    return side ? [{ side, alone: { ...body, input: [item] } }] : [];
  });

const ITEMS: ReadonlyMap<unknown, Side> = new Map([
  ['message', 'model'],
  ['reasoning', 'model'],
  ['function_call', 'model'],
  ['item_reference', 'model'],
  ['function_call_output', 'result'],
]);
