/** The strict servers that `npm run wires` tries, each with the variants that make it one of the list. */
import { createAnthropicWire } from '../anthropic.ts';
import { type ChatDialectName, createChatCompletionsWire } from '../chat-completions.ts';
import { createGeminiWire } from '../gemini.ts';
import { createResponsesWire } from '../responses.ts';
import type { Script, Wire } from '../wire.ts';

/** What a server is made of: `seed` makes ids and signatures that no other takes. */
export interface Played {
  readonly script: Script;
  readonly seed: string;
  /** Seeds of other servers of this wire whose thoughts this one reads, if its models do that at all. */
  readonly kin?: readonly string[];
}

type Make = (played: Played) => Wire;

/** `exactArguments`: the adapter hands the text of an input on as it is. */
const chat =
  (dialect: ChatDialectName, exactArguments = true): Make =>
  (played) =>
    createChatCompletionsWire({ ...played, dialect, exactArguments });

const responses: Make = (played) => createResponsesWire({ ...played, exactArguments: true });

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
  'responses-stored': responses,
  'responses-unstored': responses,
  deepseek: chat('deepseek'),
  'deepseek-sdk': chat('deepseek', false),
  kimi: chat('kimi'),
  'kimi-sdk': chat('kimi', false),
  reasoning: chat('reasoning'),
  openrouter: chat('openrouter'),
  'openrouter-sdk': chat('openrouter', false),
  'extra-content': chat('gemini'),
  'extra-content-sdk': chat('gemini', false),
} as const satisfies Readonly<Record<string, Make>>;

/** A wire with the adapter that is tried on it: `-sdk` is one of chat completions by a package of the AI SDK. */
export type WireName = keyof typeof SERVERS;

export const WIRES = Object.keys(SERVERS) as readonly WireName[]; // the keys of a literal are all there is

/** Makes the strict server of a wire. */
export const serverOf = (name: WireName, played: Played): Wire => SERVERS[name](played);
