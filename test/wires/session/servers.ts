/** The strict servers of `npm run wires`, with their variants. */
import { createAnthropicWire } from '../anthropic.ts';
import { type ChatDialectName, createChatCompletionsWire } from '../chat-completions.ts';
import { createGeminiWire } from '../gemini.ts';
import { createResponsesWire } from '../responses.ts';
import type { Script, Wire } from '../wire.ts';

/** The inputs of a server. `seed` determines ids and signatures that no other server accepts. */
export interface PlayedScript {
  readonly script: Script;
  readonly seed: string;
  /** The seeds of other servers of this wire whose thoughts its model can read. */
  readonly readableSeeds?: readonly string[];
}

type WireFactory = (played: PlayedScript) => Wire;

/** Must set `exactArguments` if the adapter forwards the text of an input unchanged. */
const createChatWire =
  (dialect: ChatDialectName, exactArguments = true): WireFactory =>
  (played) =>
    createChatCompletionsWire({ ...played, dialect, exactArguments });

const createStrictResponsesWire: WireFactory = (played) =>
  createResponsesWire({ ...played, exactArguments: true });

const SERVERS = {
  gemini: (played) => createGeminiWire(played),
  'anthropic-budget': (played) => createAnthropicWire({ ...played, variants: [] }),
  'anthropic-interleaved': (played) =>
    createAnthropicWire({ ...played, variants: ['redacted', 'interleaved', 'empty-thinking'] }),
  'anthropic-preserved': (played) =>
    createAnthropicWire({
      ...played,
      preserved: true,
      variants: ['redacted', 'interleaved', 'empty-thinking'],
    }),
  'responses-stored': createStrictResponsesWire,
  'responses-unstored': createStrictResponsesWire,
  deepseek: createChatWire('deepseek'),
  'deepseek-sdk': createChatWire('deepseek', false),
  kimi: createChatWire('kimi'),
  'kimi-sdk': createChatWire('kimi', false),
  reasoning: createChatWire('reasoning'),
  openrouter: createChatWire('openrouter'),
  'openrouter-sdk': createChatWire('openrouter', false),
  'extra-content': createChatWire('gemini'),
  'extra-content-sdk': createChatWire('gemini', false),
} as const satisfies Readonly<Record<string, WireFactory>>;

/**
 * The names of wires. Some include the adapter that is tested on the wire. `-sdk` marks chat completions with
 * a package of the AI SDK.
 */
export type WireName = keyof typeof SERVERS;

export const WIRES = Object.keys(SERVERS) as readonly WireName[]; // the literal has one key per wire

/** Creates the strict server of a wire. */
export const createServer = (name: WireName, played: PlayedScript): Wire => SERVERS[name](played);
