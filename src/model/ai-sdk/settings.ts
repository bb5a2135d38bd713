import type { LanguageModelV4CallOptions } from '@ai-sdk/provider';
import { type ChatModel, ModelError, type ModelRequest, type ProviderTool } from '../chat-model.ts';
import type { ProviderData } from '../parts.ts';
import type { ModelSettings, ToolChoice } from '../settings.ts';
import { isRecord, type UntrustedRecord } from '../untrusted-json.ts';
import { checkFileWarnings } from './media.ts';
import { getAtPath, toReturnedOptions } from './provider-data.ts';
import type { SdkModel } from './specification.ts';
import type { KnownModel, SdkTraits } from './traits.ts';

/**
 * Converts the settings of a request for a model of the AI SDK. `under` holds provider options that the
 * settings override.
 *
 * @throws ModelError `bad-request` that names an unsupported setting or tool.
 */
export function toSettings(
  { sdk: model, traits }: KnownModel,
  { settings = {}, tools, output }: ModelRequest,
  under: ProviderData = {},
): Omit<LanguageModelV4CallOptions, 'prompt'> {
  const lacked = findUnsupportedSetting(model, settings, traits);
  if (lacked) throw createUnsupportedSettingError(model, lacked);
  const foreign = tools.find(({ providerTool }) => providerTool && !canRunTool(traits, providerTool));
  if (foreign) throw createUnsupportedToolError(model, foreign.name);
  const { stop, toolChoice, reasoning, temperature, topP, topK, seed } = settings;
  return {
    ...withoutUndefined({ temperature, topP, topK, seed }),
    ...(stop && { stopSequences: [...stop] }),
    ...(reasoning && !traits.ownEffort && { reasoning }),
    // Most servers refuse a tool choice without tools.
    ...(toolChoice && tools.length > 0 && { toolChoice: toChoice(toolChoice) }),
    ...toReturnedOptions(
      toProviderOptions(settings, traits, { tools, under: [under, ...createOutputOptions(output)] }),
    ),
  };
}

const canRunTool = ({ runs: names }: SdkTraits, { id }: ProviderTool): boolean =>
  names === 'any' || names.some((name) => id.startsWith(`${name}.`));

/** Returns the first setting that the model does not support. */
function findUnsupportedSetting(
  { specificationVersion }: SdkModel,
  settings: ModelSettings,
  { lacks, oneCall }: SdkTraits,
): keyof ModelSettings | undefined {
  const lacked = lacks.find((name) => settings[name] !== undefined);
  if (lacked) return lacked;
  if (settings.reasoning && specificationVersion === 'v3') return 'reasoning';
  return settings.parallelToolCalls === false && !oneCall ? 'parallelToolCalls' : undefined;
}

const createUnsupportedSettingError = (
  { modelId, provider }: SdkModel,
  setting: string,
  why = '',
): ModelError =>
  new ModelError(
    'bad-request',
    `The model '${modelId}' of '${provider}' cannot accept the setting '${setting}'${why}.`,
  );

const toChoice = (choice: ToolChoice): NonNullable<LanguageModelV4CallOptions['toolChoice']> =>
  typeof choice === 'string' ? { type: choice } : { type: 'tool', toolName: choice.tool };

/** Returns the provider options: our defaults, overridden by those of the request. */
function toProviderOptions(
  { providerOptions = {}, parallelToolCalls, reasoning }: ModelSettings,
  { options, oneCall, stores, ownEffort }: SdkTraits,
  { tools, under }: Pick<ModelRequest, 'tools'> & { readonly under: readonly ProviderData[] },
): ProviderData | undefined {
  const own = {
    // The server may have deleted its stored data when a session resumes.
    ...(stores && { store: false }),
    // OpenAI refuses it in a request without tools.
    ...(oneCall &&
      tools.length > 0 &&
      parallelToolCalls !== undefined && {
        [oneCall.key]: parallelToolCalls ? !oneCall.value : oneCall.value,
      }),
    ...(ownEffort && reasoning && { reasoning: { effort: reasoning } }),
  };
  const ours = Object.keys(own).length > 0 ? [{ [options]: own }] : [];
  const merged = [...under, ...ours, providerOptions].reduce(mergeOptions, {});
  return Object.keys(merged).length > 0 ? merged : undefined;
}

/**
 * Returns options for a structured answer. OpenAI's provider defaults to strict schemas, which allow no
 * optional property.
 */
const createOutputOptions = (output: ModelRequest['output']): readonly ProviderData[] =>
  output ? [{ openai: { strictJsonSchema: false } }] : [];

/** Merges the options of `over` into those of `under`, provider by provider. */
export function mergeOptions(under: ProviderData, over: ProviderData): ProviderData {
  const merged = Object.entries(over).map(([name, value]) => {
    const below = under[name];
    return [name, isRecord(below) && isRecord(value) ? { ...below, ...value } : value];
  });
  return { ...under, ...Object.fromEntries(merged) };
}

const withoutUndefined = <T extends object>(values: T): { [Key in keyof T]?: Exclude<T[Key], undefined> } =>
  // The filter removes every `undefined`, so each remaining value has the declared type.
  Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined)) as {
    [Key in keyof T]?: Exclude<T[Key], undefined>;
  };

/**
 * Checks the provider's warnings for settings, tools and files that it left out of the request. It reports
 * them only after the request.
 *
 * @throws ModelError `bad-request` that names one.
 */
export function checkWarnings(
  model: SdkModel,
  told: unknown,
  { settings = {}, tools, messages }: ModelRequest,
): void {
  const warnings: readonly unknown[] = Array.isArray(told) ? told : [];
  checkFileWarnings(model, warnings, messages);
  const unsupported = warnings.filter(
    (warning): warning is UntrustedRecord => isRecord(warning) && warning.type === 'unsupported',
  );
  for (const { feature, details } of unsupported) {
    const name = feature === 'stopSequences' ? 'stop' : feature;
    const why = typeof details === 'string' && details !== '' ? `: ${details.replace(/\.$/, '')}` : '';
    // A setting that was only converted is accepted: its warning has the type `compatibility`.
    if (CHECKED_SETTINGS.some((setting) => setting === name && settings[setting] !== undefined)) {
      throw createUnsupportedSettingError(model, String(name), why);
    }
    const tool = tools.find(({ providerTool }) => feature === `provider-defined tool ${providerTool?.id}`);
    if (tool) throw createUnsupportedToolError(model, tool.name, why);
  }
}

const CHECKED_SETTINGS: readonly (keyof ModelSettings)[] = [
  'temperature',
  'topP',
  'topK',
  'seed',
  'stop',
  'reasoning',
  'toolChoice',
];

const createUnsupportedToolError = ({ modelId, provider }: SdkModel, tool: string, why = ''): ModelError =>
  new ModelError(
    'bad-request',
    `The model '${modelId}' of '${provider}' cannot run the tool '${tool}'${why}.`,
  );

/**
 * Returns the check for settings that a model's provider refuses in combination, or changes without an error.
 */
export const getRefusalTraits = ({ forcesNoThinker }: SdkTraits): Pick<ChatModel, 'refuses'> =>
  forcesNoThinker ? { refuses: findForcedThinkingProblem } : {};

/**
 * Returns the problem with a forced tool while a model thinks. Anthropic does not support that, and the SDK
 * would silently send `auto`.
 */
const findForcedThinkingProblem = (settings: ModelSettings): string | undefined =>
  isForced(settings) && hasThinking(settings)
    ? "Anthropic cannot require a tool while a model thinks. Use the toolChoice 'auto', or the reasoning 'none'"
    : undefined;

const isForced = ({ toolChoice }: ModelSettings): boolean =>
  toolChoice === 'required' || typeof toolChoice === 'object';

function hasThinking({ reasoning, providerOptions }: ModelSettings): boolean {
  const thinking = getAtPath(providerOptions, 'anthropic', 'thinking', 'type');
  if (thinking !== undefined) return thinking !== 'disabled';
  return reasoning !== undefined && reasoning !== 'none';
}
