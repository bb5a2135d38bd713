import type { LanguageModelV4CallOptions } from '@ai-sdk/provider';
import { type ChatModel, ModelError, type ModelRequest, type ProviderTool } from '../chat-model.ts';
import type { ProviderData } from '../parts.ts';
import type { ModelSettings, ToolChoice } from '../settings.ts';
import { isRecord, type UntrustedRecord } from '../untrusted-json.ts';
import { checkFileWarnings } from './media.ts';
import { optionsOf, within } from './provider-data.ts';
import type { SdkModel } from './specification.ts';
import type { KnownModel, SdkTraits } from './traits.ts';

/**
 * The settings of a request as a model of the AI SDK takes them. `under`: options of its provider that hold unless a setting
 * says otherwise.
 *
 * @throws ModelError `bad-request` that names a setting or a tool which the model cannot be given.
 */
export function toSettings(
  { sdk: model, traits }: KnownModel,
  { settings = {}, tools, output }: ModelRequest,
  under: ProviderData = {},
): Omit<LanguageModelV4CallOptions, 'prompt'> {
  const lacked = lackedBy(model, settings, traits);
  if (lacked) throw cannotBeGiven(model, lacked);
  const foreign = tools.find(({ providerTool }) => providerTool && !runs(traits, providerTool));
  if (foreign) throw toolCannotBeGiven(model, foreign.name);
  const { stop, toolChoice, reasoning, temperature, topP, topK, seed } = settings;
  return {
    ...defined({ temperature, topP, topK, seed }),
    ...(stop && { stopSequences: [...stop] }),
    ...(reasoning && !traits.ownEffort && { reasoning }),
    // A choice among no tools is refused by most.
    ...(toolChoice && tools.length > 0 && { toolChoice: toChoice(toolChoice) }),
    ...optionsOf(toProviderOptions(settings, traits, { tools, under: [under, ...formOptions(output)] })),
  };
}

const runs = ({ runs: names }: SdkTraits, { id }: ProviderTool): boolean =>
  names === 'any' || names.some((name) => id.startsWith(`${name}.`));

/** The first setting that the model cannot be given. */
function lackedBy(
  { specificationVersion }: SdkModel,
  settings: ModelSettings,
  { lacks, oneCall }: SdkTraits,
): keyof ModelSettings | undefined {
  const lacked = lacks.find((name) => settings[name] !== undefined);
  if (lacked) return lacked;
  if (settings.reasoning && specificationVersion === 'v3') return 'reasoning';
  return settings.parallelToolCalls === false && !oneCall ? 'parallelToolCalls' : undefined;
}

const cannotBeGiven = ({ modelId, provider }: SdkModel, setting: string, why = ''): ModelError =>
  new ModelError(
    'bad-request',
    `The model '${modelId}' of '${provider}' cannot be given the setting '${setting}'${why}.`,
  );

const toChoice = (choice: ToolChoice): NonNullable<LanguageModelV4CallOptions['toolChoice']> =>
  typeof choice === 'string' ? { type: choice } : { type: 'tool', toolName: choice.tool };

/** What only the provider knows: what we ask of it unless somebody says otherwise, and over it what was said. */
function toProviderOptions(
  { providerOptions = {}, parallelToolCalls, reasoning }: ModelSettings,
  { options, oneCall, stores, ownEffort }: SdkTraits,
  { tools, under }: Pick<ModelRequest, 'tools'> & { readonly under: readonly ProviderData[] },
): ProviderData | undefined {
  const own = {
    // What a server keeps may be gone when a session goes on.
    ...(stores && { store: false }),
    // OpenAI refuses it beside no tools.
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

/** OpenAI's provider asks for strict schemas unless told otherwise, and they allow no optional property. */
const formOptions = (output: ModelRequest['output']): readonly ProviderData[] =>
  output ? [{ openai: { strictJsonSchema: false } }] : [];

/** Puts the options of the second over those of the first, each provider's by itself. */
export function mergeOptions(under: ProviderData, over: ProviderData): ProviderData {
  const merged = Object.entries(over).map(([name, value]) => {
    const below = under[name];
    return [name, isRecord(below) && isRecord(value) ? { ...below, ...value } : value];
  });
  return { ...under, ...Object.fromEntries(merged) };
}

const defined = <T extends object>(values: T): { [Key in keyof T]?: Exclude<T[Key], undefined> } =>
  // No value is left that its type does not have.
  Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined)) as {
    [Key in keyof T]?: Exclude<T[Key], undefined>;
  };

/**
 * Looks for settings, tools and files that the model was not given, after all, as its provider tells only once it is asked.
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
    // One that it takes in another form is not meant: it says so as `compatibility`.
    if (SETTINGS.some((setting) => setting === name && settings[setting] !== undefined)) {
      throw cannotBeGiven(model, String(name), why);
    }
    const tool = tools.find(({ providerTool }) => feature === `provider-defined tool ${providerTool?.id}`);
    if (tool) throw toolCannotBeGiven(model, tool.name, why);
  }
}

const SETTINGS: readonly (keyof ModelSettings)[] = [
  'temperature',
  'topP',
  'topK',
  'seed',
  'stop',
  'reasoning',
  'toolChoice',
];

const toolCannotBeGiven = ({ modelId, provider }: SdkModel, tool: string, why = ''): ModelError =>
  new ModelError(
    'bad-request',
    `The model '${modelId}' of '${provider}' cannot run the tool '${tool}'${why}.`,
  );

/** Returns why a model's provider is known to refuse settings together, or to change them without a word. */
export const refusedBy = ({ forcesNoThinker }: SdkTraits): Pick<ChatModel, 'refuses'> =>
  forcesNoThinker ? { refuses: thinkingBesideForce } : {};

/** Anthropic lets no tool be forced while a model thinks; the SDK asks for `auto` in its place. */
const thinkingBesideForce = (settings: ModelSettings): string | undefined =>
  isForced(settings) && thinks(settings)
    ? "Anthropic forces no tool while a model thinks; use the toolChoice 'auto', or the reasoning 'none'"
    : undefined;

const isForced = ({ toolChoice }: ModelSettings): boolean =>
  toolChoice === 'required' || typeof toolChoice === 'object';

function thinks({ reasoning, providerOptions }: ModelSettings): boolean {
  const thinking = within(providerOptions, 'anthropic', 'thinking', 'type');
  if (thinking !== undefined) return thinking !== 'disabled';
  return reasoning !== undefined && reasoning !== 'none';
}
