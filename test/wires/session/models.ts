/**
 * The model of each wire, as a user of the library creates it: with the provider's package, or with
 * `openaiCompatible`.
 */
import { createAnthropic } from '@ai-sdk/anthropic';
import { createDeepSeek } from '@ai-sdk/deepseek';
import { createGoogle } from '@ai-sdk/google';
import { createOpenAI } from '@ai-sdk/openai';
import { createOpenAICompatible } from '@ai-sdk/openai-compatible';
import { createOpenRouter } from '@openrouter/ai-sdk-provider';
import type { ChatModel } from '../../../src/index.ts';
import { type FromAiSdkOptions, fromAiSdk } from '../../../src/model/ai-sdk/entry.ts';
import type { ModelMedia, ModelSettings } from '../../../src/model/entry.ts';
import { openaiCompatible } from '../../../src/model/openai-compatible/entry.ts';
import type { WireName } from './servers.ts';

/** The address of a wire's server. */
export interface ServerAt {
  readonly baseURL: string;
  /** Defaults to the platform's `fetch`. */
  readonly fetch?: typeof fetch;
  /** Defaults to the adapter's default. */
  readonly retries?: number;
  /**
   * If `false`, the adapter does not add missing thoughts to replies. By default, it adapts replies to the
   * server's requirements.
   */
  readonly wantsThoughts?: false;
}

/** @param model Selects another model of the wire. */
type Make = (server: ServerAt, model?: string) => ChatModel;

const apiKey = 'key';

const providerOptions = (
  provider: string,
  values: NonNullable<ModelSettings['providerOptions']>[string],
) => ({
  settings: { providerOptions: { [provider]: values } },
});

/** Creates models with a package of the AI SDK. */
const sdkModel =
  (
    make: (server: Pick<ServerAt, 'baseURL' | 'fetch'>, model: string) => Parameters<typeof fromAiSdk>[0],
    named: string,
    more: FromAiSdkOptions = {},
  ): Make =>
  ({ retries, wantsThoughts, ...server }, model = named) =>
    fromAiSdk(make(server, model), {
      ...more,
      ...(retries !== undefined && { retries }),
      ...(wantsThoughts === false && { wantsThoughts }),
    });

const anthropicModel = (
  named: string,
  thinking: { readonly type: string; readonly budgetTokens?: number },
): Make =>
  sdkModel(
    (server, model) => createAnthropic({ apiKey, ...server })(model),
    named,
    providerOptions('anthropic', { thinking }),
  );

const responsesModel = (store: boolean): Make =>
  sdkModel(
    (server, model) => createOpenAI({ apiKey, ...server }).responses(model),
    'gpt-5.4',
    providerOptions('openai', { store, reasoningSummary: 'detailed' }),
  );

const createCompatible =
  (wantsThoughts?: 'field' | 'signature'): Make =>
  ({ wantsThoughts: adapts = wantsThoughts, ...server }, model = 'some-model') =>
    openaiCompatible({ model, apiKey, wantsThoughts: adapts || undefined, ...server });

const sdkModelOf = (wantsThoughts: 'field' | 'signature'): Make =>
  sdkModel(
    (server, model) => createOpenAICompatible({ name: 'google', apiKey, ...server })(model),
    'some-model',
    {
      wantsThoughts,
    },
  );

/**
 * The media types that an agent accepts if its model does not declare them. The servers accept these in
 * messages, but not in results. Without an entry, files are described as text.
 */
export const ACCEPTS: Readonly<Partial<Record<WireName, readonly string[]>>> = {
  deepseek: ['image/png'],
  kimi: ['image/png', 'application/pdf'],
  'kimi-sdk': ['image/png', 'application/pdf'],
  openrouter: ['image/png', 'application/pdf'],
  'extra-content': ['image/png', 'application/pdf'],
};

/**
 * Returns the media that the model of a wire receives: those that it declares, or those that its agent accepts.
 */
export function mediaOf(wire: WireName): ModelMedia {
  const { media } = MODELS[wire]({ baseURL: 'https://nobody.example' });
  const accepts = ACCEPTS[wire] ?? [];
  return media ?? { message: { data: accepts, url: accepts }, result: { data: [], url: [] } };
}

/** Creates the model of a wire. */
export const MODELS: Readonly<Record<WireName, Make>> = {
  gemini: sdkModel(
    (server, model) => createGoogle({ apiKey, ...server })(model),
    'gemini-3-pro-preview',
    providerOptions('google', { thinkingConfig: { includeThoughts: true } }),
  ),
  'anthropic-budget': anthropicModel('claude-sonnet-4-5', { type: 'enabled', budgetTokens: 2000 }),
  'anthropic-interleaved': anthropicModel('claude-sonnet-4-5', { type: 'enabled', budgetTokens: 2000 }),
  'anthropic-preserved': anthropicModel('claude-opus-5-5', { type: 'adaptive' }),
  'responses-stored': responsesModel(true),
  'responses-unstored': responsesModel(false),
  deepseek: createCompatible('field'),
  'deepseek-sdk': sdkModel((server, model) => createDeepSeek({ apiKey, ...server })(model), 'deepseek-v4'),
  kimi: createCompatible('field'),
  'kimi-sdk': sdkModelOf('field'),
  reasoning: createCompatible(),
  openrouter: createCompatible(),
  'openrouter-sdk': sdkModel(
    (server, model) => createOpenRouter({ apiKey, ...server })(model),
    'anthropic/claude-sonnet-4.5',
  ),
  'extra-content': createCompatible('signature'),
  'extra-content-sdk': sdkModelOf('signature'),
};

/** An older model of each wire, which an upgrade replaces with the model above. */
export const OLDER: Readonly<Record<WireName, string>> = {
  gemini: 'gemini-3-flash-preview',
  'anthropic-budget': 'claude-opus-4-5',
  'anthropic-interleaved': 'claude-opus-4-5',
  'anthropic-preserved': 'claude-haiku-5-5',
  'responses-stored': 'gpt-5.5',
  'responses-unstored': 'gpt-5.5',
  deepseek: 'older-model',
  'deepseek-sdk': 'deepseek-v3.2',
  kimi: 'older-model',
  'kimi-sdk': 'older-model',
  reasoning: 'older-model',
  openrouter: 'older-model',
  'openrouter-sdk': 'anthropic/claude-opus-4.5',
  'extra-content': 'older-model',
  'extra-content-sdk': 'older-model',
};
