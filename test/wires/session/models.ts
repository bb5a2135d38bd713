/** The model of each wire, as a user of the library makes it: by the provider's own package, or by `openaiCompatible`. */
import { createAnthropic } from '@ai-sdk/anthropic';
import { createDeepSeek } from '@ai-sdk/deepseek';
import { createGoogle } from '@ai-sdk/google';
import { createOpenAI } from '@ai-sdk/openai';
import { createOpenAICompatible } from '@ai-sdk/openai-compatible';
import { createOpenRouter } from '@openrouter/ai-sdk-provider';
import type { ChatModel } from '../../../src/index.ts';
import { fromAiSdk } from '../../../src/model/ai-sdk/entry.ts';
import type { ModelMedia, ModelSettings } from '../../../src/model/entry.ts';
import { openaiCompatible } from '../../../src/model/openai-compatible/entry.ts';
import type { WireName } from './servers.ts';

/** Where a wire answers. */
export interface ServerAt {
  readonly baseURL: string;
  /** Absent: the platform's. */
  readonly fetch?: typeof fetch;
}

type Make = (server: ServerAt) => ChatModel;

const apiKey = 'key';

const options = (provider: string, values: NonNullable<ModelSettings['providerOptions']>[string]) => ({
  settings: { providerOptions: { [provider]: values } },
});

const anthropic =
  (model: string, thinking: { readonly type: string; readonly budgetTokens?: number }): Make =>
  (server) =>
    fromAiSdk(createAnthropic({ apiKey, ...server })(model), options('anthropic', { thinking }));

const responses =
  (store: boolean): Make =>
  (server) =>
    fromAiSdk(
      createOpenAI({ apiKey, ...server }).responses('gpt-5.4'),
      options('openai', { store, reasoningSummary: 'detailed' }),
    );

const compatible: Make = (server) => openaiCompatible({ model: 'some-model', apiKey, ...server });

const bySdk: Make = (server) =>
  fromAiSdk(createOpenAICompatible({ name: 'google', apiKey, ...server })('some-model'));

/**
 * What an agent accepts whose model says nothing of files. The servers take these in messages and not in results; a model of
 * a wire that is not named is told of files in words.
 */
export const ACCEPTS: Readonly<Partial<Record<WireName, readonly string[]>>> = {
  deepseek: ['image/png'],
  kimi: ['image/png', 'application/pdf'],
  'kimi-sdk': ['image/png', 'application/pdf'],
  openrouter: ['image/png', 'application/pdf'],
  'extra-content': ['image/png', 'application/pdf'],
};

/** Which files the model of a wire is given: those that it takes, or those that its agent accepts. */
export function mediaOf(wire: WireName): ModelMedia {
  const { media } = MODELS[wire]({ baseURL: 'https://nobody.example' });
  const accepts = ACCEPTS[wire] ?? [];
  return media ?? { message: { data: accepts, url: accepts }, result: { data: [], url: [] } };
}

/** Makes the model of a wire. */
export const MODELS: Readonly<Record<WireName, Make>> = {
  gemini: (server) =>
    fromAiSdk(
      createGoogle({ apiKey, ...server })('gemini-3-pro-preview'),
      options('google', { thinkingConfig: { includeThoughts: true } }),
    ),
  'anthropic-budget': anthropic('claude-sonnet-4-5', { type: 'enabled', budgetTokens: 2000 }),
  'anthropic-interleaved': anthropic('claude-sonnet-4-5', { type: 'enabled', budgetTokens: 2000 }),
  'anthropic-preserved': anthropic('claude-opus-5-5', { type: 'adaptive' }),
  'responses-stored': responses(true),
  'responses-unstored': responses(false),
  deepseek: compatible,
  'deepseek-sdk': (server) => fromAiSdk(createDeepSeek({ apiKey, ...server })('deepseek-v4')),
  kimi: compatible,
  'kimi-sdk': bySdk,
  reasoning: compatible,
  openrouter: compatible,
  'openrouter-sdk': (server) =>
    fromAiSdk(createOpenRouter({ apiKey, ...server })('anthropic/claude-sonnet-4.5')),
  'extra-content': compatible,
  'extra-content-sdk': bySdk,
};
