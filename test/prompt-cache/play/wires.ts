/**
 * The measured wires. Each is a strict local server that receives requests from the provider's package or from
 * ours.
 */
import { createOpenAI } from '@ai-sdk/openai';
import type { ChatModel } from '../../../src/index.ts';
import { fromAiSdk } from '../../../src/model/ai-sdk/entry.ts';
import { MODELS, type ServerAt } from '../../wires/session/models.ts';
import { createServer, type PlayedScript, type WireName } from '../../wires/session/servers.ts';
import type { Wire } from '../../wires/wire.ts';
import type { BodyForm } from '../measure/request-parts.ts';

export interface MeasuredWire {
  readonly name: string;
  /** The package and the model of the wire. */
  readonly by: string;
  readonly form: BodyForm;
  readonly model: (server: ServerAt) => ChatModel;
  readonly server: (played: PlayedScript) => Wire;
}

const createMeasuredWire = (
  name: string,
  { by, form, on }: Pick<MeasuredWire, 'by' | 'form'> & { readonly on: WireName },
): MeasuredWire => ({ name, by, form, model: MODELS[on], server: (played) => createServer(on, played) });

/** OpenAI's models before 5.4 receive tools only as a list. */
const createOlderOpenAi = (server: ServerAt): ChatModel =>
  fromAiSdk(createOpenAI({ apiKey: 'key', ...server }).responses('gpt-5.1'), {
    settings: { providerOptions: { openai: { store: false, reasoningSummary: 'detailed' } } },
  });

/** All wires. `late` marks models that receive changes of tools in the conversation. */
export const MEASURED_WIRES: readonly MeasuredWire[] = [
  createMeasuredWire('anthropic', {
    by: '@ai-sdk/anthropic, claude-sonnet-4-5',
    form: 'anthropic',
    on: 'anthropic-interleaved',
  }),
  createMeasuredWire('anthropic-late', {
    by: '@ai-sdk/anthropic, claude-opus-5-5',
    form: 'anthropic',
    on: 'anthropic-preserved',
  }),
  createMeasuredWire('gemini', { by: '@ai-sdk/google, gemini-3-pro-preview', form: 'gemini', on: 'gemini' }),
  {
    ...createMeasuredWire('responses', {
      by: '@ai-sdk/openai, gpt-5.1',
      form: 'responses',
      on: 'responses-unstored',
    }),
    model: createOlderOpenAi,
  },
  createMeasuredWire('responses-late', {
    by: '@ai-sdk/openai, gpt-5.4',
    form: 'responses',
    on: 'responses-unstored',
  }),
  createMeasuredWire('chat', { by: 'openaiCompatible, some-model', form: 'chat', on: 'reasoning' }),
  createMeasuredWire('deepseek', { by: '@ai-sdk/deepseek, deepseek-v4', form: 'chat', on: 'deepseek-sdk' }),
  createMeasuredWire('openrouter', {
    by: '@openrouter/ai-sdk-provider, anthropic/claude-sonnet-4.5',
    form: 'chat',
    on: 'openrouter-sdk',
  }),
];
