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
  /** The seeds of other servers of this wire whose thoughts its model reads, if it can. */
  readonly readableSeeds?: readonly string[];
}

type Make = (played: PlayedScript) => Wire;

/** Must set `exactArguments` if the adapter forwards the text of an input unchanged. */
const chatWire =
  (dialect: ChatDialectName, exactArguments = true): Make =>
  (played) =>
    createChatCompletionsWire({ ...played, dialect, exactArguments });

const responsesWire: Make = (played) => createResponsesWire({ ...played, exactArguments: true });

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
  'responses-stored': responsesWire,
  'responses-unstored': responsesWire,
  deepseek: chatWire('deepseek'),
  'deepseek-sdk': chatWire('deepseek', false),
  kimi: chatWire('kimi'),
  'kimi-sdk': chatWire('kimi', false),
  reasoning: chatWire('reasoning'),
  openrouter: chatWire('openrouter'),
  'openrouter-sdk': chatWire('openrouter', false),
  'extra-content': chatWire('gemini'),
  'extra-content-sdk': chatWire('gemini', false),
} as const satisfies Readonly<Record<string, Make>>;

/**
 * The names of wires. Some names include the adapter that is tested on the wire. `-sdk` marks chat completions
 * with a package of the AI SDK.
 */
export type WireName = keyof typeof SERVERS;

export const WIRES = Object.keys(SERVERS) as readonly WireName[]; // the literal has a key for each wire

/** Creates the strict server of a wire. */
export const serverOf = (name: WireName, played: PlayedScript): Wire => SERVERS[name](played);
