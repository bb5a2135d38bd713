/** The wires over which requests are measured: each a strict local server, asked by the provider's own package or by ours. */
import { createOpenAI } from '@ai-sdk/openai';
import type { ChatModel } from '../../../src/index.ts';
import { fromAiSdk } from '../../../src/model/ai-sdk/entry.ts';
import { MODELS, type ServerAt } from '../../wires/session/models.ts';
import { type Played, serverOf, type WireName } from '../../wires/session/servers.ts';
import type { Wire } from '../../wires/wire.ts';
import type { BodyForm } from '../measure/request-parts.ts';

export interface MeasuredWire {
  readonly name: string;
  /** By which package, and for which model. */
  readonly by: string;
  readonly form: BodyForm;
  readonly model: (server: ServerAt) => ChatModel;
  readonly server: (played: Played) => Wire;
}

const wire = (
  name: string,
  { by, form, on }: Pick<MeasuredWire, 'by' | 'form'> & { readonly on: WireName },
): MeasuredWire => ({ name, by, form, model: MODELS[on], server: (played) => serverOf(on, played) });

/** OpenAI's models before 5.4 are only given the list of tools. */
const olderOpenAI = (server: ServerAt): ChatModel =>
  fromAiSdk(createOpenAI({ apiKey: 'key', ...server }).responses('gpt-5.1'), {
    settings: { providerOptions: { openai: { store: false, reasoningSummary: 'detailed' } } },
  });

/** `late`: a model that is told in the conversation which tools came and went. */
export const WIRES: readonly MeasuredWire[] = [
  wire('anthropic', {
    by: '@ai-sdk/anthropic, claude-sonnet-4-5',
    form: 'anthropic',
    on: 'anthropic-interleaved',
  }),
  wire('anthropic-late', {
    by: '@ai-sdk/anthropic, claude-opus-5-5',
    form: 'anthropic',
    on: 'anthropic-preserved',
  }),
  wire('gemini', { by: '@ai-sdk/google, gemini-3-pro-preview', form: 'gemini', on: 'gemini' }),
  {
    ...wire('responses', { by: '@ai-sdk/openai, gpt-5.1', form: 'responses', on: 'responses-unstored' }),
    model: olderOpenAI,
  },
  wire('responses-late', { by: '@ai-sdk/openai, gpt-5.4', form: 'responses', on: 'responses-unstored' }),
  wire('chat', { by: 'openaiCompatible, some-model', form: 'chat', on: 'reasoning' }),
  wire('deepseek', { by: '@ai-sdk/deepseek, deepseek-v4', form: 'chat', on: 'deepseek-sdk' }),
  wire('openrouter', {
    by: '@openrouter/ai-sdk-provider, anthropic/claude-sonnet-4.5',
    form: 'chat',
    on: 'openrouter-sdk',
  }),
];
