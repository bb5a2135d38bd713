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
type ModelFactory = (server: ServerAt, model?: string) => ChatModel;

const apiKey = 'key';

const createProviderOptions = (
  provider: string,
  values: NonNullable<ModelSettings['providerOptions']>[string],
) => ({
  settings: { providerOptions: { [provider]: values } },
});

/** Creates models with a package of the AI SDK. */
const createSdkModel =
  (
    make: (server: Pick<ServerAt, 'baseURL' | 'fetch'>, model: string) => Parameters<typeof fromAiSdk>[0],
    named: string,
    more: FromAiSdkOptions = {},
  ): ModelFactory =>
  ({ retries, wantsThoughts, ...server }, model = named) =>
    fromAiSdk(make(server, model), {
      ...more,
      ...(retries !== undefined && { retries }),
      ...(wantsThoughts === false && { wantsThoughts }),
    });

const createAnthropicModel = (
  named: string,
  thinking: { readonly type: string; readonly budgetTokens?: number },
): ModelFactory =>
  createSdkModel(
    (server, model) => createAnthropic({ apiKey, ...server })(model),
    named,
    createProviderOptions('anthropic', { thinking }),
  );

const createResponsesModel = (store: boolean): ModelFactory =>
  createSdkModel(
    (server, model) => createOpenAI({ apiKey, ...server }).responses(model),
    'gpt-5.4',
    createProviderOptions('openai', { store, reasoningSummary: 'detailed' }),
  );

const createCompatible =
  (wantsThoughts?: 'field' | 'signature'): ModelFactory =>
  ({ wantsThoughts: adapts = wantsThoughts, ...server }, model = 'some-model') =>
    openaiCompatible({ model, apiKey, wantsThoughts: adapts || undefined, ...server });

const createThoughtsModel = (wantsThoughts: 'field' | 'signature'): ModelFactory =>
  createSdkModel(
    (server, model) => createOpenAICompatible({ name: 'google', apiKey, ...server })(model),
    'some-model',
    {
      wantsThoughts,
    },
  );

/**
 * The media types that an agent accepts if its model does not declare any. The servers accept them in
 * messages, but not in results. Without an entry, files are described as text.
 */
export const ACCEPTED_TYPES: Readonly<Partial<Record<WireName, readonly string[]>>> = {
  deepseek: ['image/png'],
  kimi: ['image/png', 'application/pdf'],
  'kimi-sdk': ['image/png', 'application/pdf'],
  openrouter: ['image/png', 'application/pdf'],
  'extra-content': ['image/png', 'application/pdf'],
};

/** Returns the media that a wire's model receives: those declared by it, or those accepted by its agent. */
export function getMedia(wire: WireName): ModelMedia {
  const { media } = MODELS[wire]({ baseURL: 'https://nobody.example' });
  const accepts = ACCEPTED_TYPES[wire] ?? [];
  return media ?? { message: { data: accepts, url: accepts }, result: { data: [], url: [] } };
}

/** Creates the model of a wire. */
export const MODELS: Readonly<Record<WireName, ModelFactory>> = {
  gemini: createSdkModel(
    (server, model) => createGoogle({ apiKey, ...server })(model),
    'gemini-3-pro-preview',
    createProviderOptions('google', { thinkingConfig: { includeThoughts: true } }),
  ),
  'anthropic-budget': createAnthropicModel('claude-sonnet-4-5', { type: 'enabled', budgetTokens: 2000 }),
  'anthropic-interleaved': createAnthropicModel('claude-sonnet-4-5', { type: 'enabled', budgetTokens: 2000 }),
  'anthropic-preserved': createAnthropicModel('claude-opus-5-5', { type: 'adaptive' }),
  'responses-stored': createResponsesModel(true),
  'responses-unstored': createResponsesModel(false),
  deepseek: createCompatible('field'),
  'deepseek-sdk': createSdkModel(
    (server, model) => createDeepSeek({ apiKey, ...server })(model),
    'deepseek-v4',
  ),
  kimi: createCompatible('field'),
  'kimi-sdk': createThoughtsModel('field'),
  reasoning: createCompatible(),
  openrouter: createCompatible(),
  'openrouter-sdk': createSdkModel(
    (server, model) => createOpenRouter({ apiKey, ...server })(model),
    'anthropic/claude-sonnet-4.5',
  ),
  'extra-content': createCompatible('signature'),
  'extra-content-sdk': createThoughtsModel('signature'),
};

/** An older model of each wire, which an upgrade replaces with the model above. */
export const OLDER_MODELS: Readonly<Record<WireName, string>> = {
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
