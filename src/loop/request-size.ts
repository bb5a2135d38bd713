import type { Measured, RequestPrint } from '../journal/usage.ts';
import type { ModelMessage, ModelRequest, OutputFormat, ToolDefinition } from '../model/chat-model.ts';
import { memoized } from '../tool/async.ts';

/** A request by its print, and a number of tokens that it does not exceed. */
export interface RequestSize {
  readonly print: RequestPrint;
  readonly inputTokens: number;
}

/** What chat templates put around a message, and around a request; generous: they take 3 to 10. */
const AROUND_MESSAGE = 16;
const AROUND_REQUEST = 64;
/** What providers tell a model beside its tools (Anthropic: up to 530 tokens) and a form, in words of their own. */
const AROUND_TOOLS = 1_024;
const AROUND_OUTPUT = 256;

/**
 * Measures a request before it is sent. A token of the byte-level and byte-fallback tokenizers that models use stands for
 * one byte at least, so the bytes of the request's JSON, with what is put around its parts, are never fewer than its
 * tokens. That is about four times what they are in English; once a provider has counted an earlier request of the
 * conversation, its figure stands for all that is the same, and only what is new is counted in bytes.
 */
export function sizeOf(model: string, request: ModelRequest, known: Measured | undefined): RequestSize {
  const [first, ...others] = request.messages;
  const isTold = first?.role === 'system';
  const system = part(isTold ? first.text : '');
  const tools = around(request);
  const told = conversation(isTold ? others : request.messages, known?.request.messages);
  const print = {
    model,
    system: system.print,
    tools: tools.print,
    messages: told.messages,
    text: told.print,
  };
  const all = AROUND_REQUEST + system.bytes + tools.bytes + told.bytes;
  if (!known || known.request.model !== model) return { print, inputTokens: all };
  const fresh =
    (known.request.system === system.print ? 0 : system.bytes) +
    (known.request.tools === tools.print ? 0 : tools.bytes) +
    (known.request.text === told.before ? told.bytes - told.bytesBefore : told.bytes);
  return { print, inputTokens: Math.min(all, known.inputTokens + fresh) };
}

interface Part {
  readonly print: string;
  readonly bytes: number;
}

interface Conversation extends Part {
  readonly messages: number;
  /** Print and bytes of as many messages as the earlier request had. */
  readonly before: string | undefined;
  readonly bytesBefore: number;
}

function conversation(messages: readonly ModelMessage[], earlier: number | undefined): Conversation {
  const hash = hasher();
  let bytes = 0;
  let before: string | undefined;
  let bytesBefore = 0;
  messages.forEach((message, index) => {
    const text = JSON.stringify(message);
    hash.add(text);
    bytes += bytesOf(text) + AROUND_MESSAGE;
    if (index + 1 !== earlier) return;
    before = hash.print();
    bytesBefore = bytes;
  });
  return { print: hash.print(), bytes, messages: messages.length, before, bytesBefore };
}

/** Lists of definitions and forms are never mutated, and outlive their requests. */
const partOf = memoized(
  (value: readonly ToolDefinition[] | OutputFormat): Part => part(JSON.stringify(value)),
);

function around({ tools, output }: ModelRequest): Part {
  const offered = tools.length > 0 ? partOf(tools) : undefined;
  const form = output && partOf(output);
  return {
    print: `${offered?.print ?? ''}/${form?.print ?? ''}`,
    bytes:
      (offered ? offered.bytes + tools.length * AROUND_MESSAGE + AROUND_TOOLS : 0) +
      (form ? form.bytes + AROUND_OUTPUT : 0),
  };
}

function part(text: string): Part {
  const hash = hasher();
  hash.add(text);
  return { print: hash.print(), bytes: bytesOf(text) };
}

const encoder = new TextEncoder();

const bytesOf = (text: string): number => encoder.encode(text).length;

/** 64 bits of FNV-1a in two halves: requests are made by our own side, which does not try to deceive itself. */
function hasher(): { add(text: string): void; print(): string } {
  let [low, high] = [0x811c9dc5, 0x01000193];
  return {
    add(text) {
      for (let at = 0; at < text.length; at += 1) {
        const unit = text.charCodeAt(at);
        low = Math.imul(low ^ unit, 0x01000193);
        high = Math.imul(high ^ unit ^ (low >>> 15), 0x85ebca6b);
      }
    },
    print: () => (low >>> 0).toString(36) + (high >>> 0).toString(36).padStart(7, '0'),
  };
}
