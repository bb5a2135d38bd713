import type {
  LanguageModelV4CallOptions,
  LanguageModelV4FunctionTool,
  LanguageModelV4ProviderTool,
} from '@ai-sdk/provider';
import type { ModelMessage, ModelRequest, OutputFormat, ToolDefinition } from '../chat-model.ts';
import type { ProviderData } from '../parts.ts';
import { toldCache } from './cache.ts';
import { toPrompt } from './prompt.ts';
import { within } from './provider-data.ts';
import { toSettings } from './settings.ts';
import type { SdkModel } from './specification.ts';
import { forMovedPrefixes, toldRequest } from './tool-changes.ts';
import { traitsOf } from './traits.ts';

/** Its type depends on whether the types of `json-schema` are installed; a JSON Schema of ours is one of theirs. */
type Schema = LanguageModelV4FunctionTool['inputSchema'];

/**
 * An ask as a model of the AI SDK takes it.
 *
 * @throws ModelError `bad-request` that names a setting which the model cannot be given.
 */
export const toCallOptions = (
  model: SdkModel,
  request: ModelRequest,
  abortSignal: AbortSignal,
): LanguageModelV4CallOptions => {
  const { output, maxOutputTokens } = request;
  const told = toldRequest(model, request);
  const { messages, settings } = forMovedPrefixes(model, told.messages, request);
  const { tools } = told;
  const rawInput = traitsOf(model.provider).rawInput === true;
  const cache = toldCache(model, request, told.messages);
  return {
    prompt: toPrompt(messages, { rawInput, changeOptions: told.optionsOf, mark: cache.mark }),
    abortSignal,
    ...cache.headers,
    ...(tools.length === 0 ? {} : { tools: cache.markTools(tools.map(toTool)) }),
    ...(output === undefined ? {} : toFormat(output)),
    ...(maxOutputTokens === undefined ? {} : { maxOutputTokens }),
    ...toSettings(model, { ...request, settings }, { ...containerIn(messages), ...cache.options }),
  };
};

const toTool = ({
  name,
  description,
  inputSchema,
  providerTool,
}: ToolDefinition): LanguageModelV4FunctionTool | LanguageModelV4ProviderTool =>
  providerTool
    ? { type: 'provider', name, id: providerTool.id, args: { ...providerTool.args } }
    : { type: 'function', name, description, inputSchema: inputSchema as Schema };

const toFormat = ({ name, schema }: OutputFormat) => ({
  responseFormat: { type: 'json' as const, name, schema: schema as Schema },
});

/** The container in which Anthropic's server runs code, while the reply that opened it is gone on with. */
function containerIn(messages: readonly ModelMessage[]): ProviderData {
  const last = messages.findLast(({ role }) => role !== 'tool');
  const id = last?.role === 'assistant' && within(last.provider, 'anthropic', 'container', 'id');
  return typeof id === 'string' ? { anthropic: { container: { id } } } : {};
}
