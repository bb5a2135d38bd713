import type { ProviderData } from './parts.ts';
import { isRecord } from './untrusted-json.ts';

/** How much a model is to think before it answers; `none`: not at all. Which of these a model knows is its provider's. */
export type ReasoningEffort = 'none' | 'minimal' | 'low' | 'medium' | 'high' | 'xhigh' | 'max';

/** Whether a model is to call tools: as it likes, at least one, none, or this one. */
export type ToolChoice = 'auto' | 'required' | 'none' | { readonly tool: string };

/**
 * How replies are to be made. What is not said is the provider's own default. A model that cannot be told a setting refuses the
 * request, and names the setting; nothing is dropped without a word.
 */
export interface ModelSettings {
  /** From 0 to 2. */
  readonly temperature?: number | undefined;
  /** From 0 to 1. */
  readonly topP?: number | undefined;
  /** 1 or more. */
  readonly topK?: number | undefined;
  /** A whole number. */
  readonly seed?: number | undefined;
  /** Texts at which the reply ends; one or more, none of them empty. */
  readonly stop?: readonly string[] | undefined;
  readonly reasoning?: ReasoningEffort | undefined;
  readonly toolChoice?: ToolChoice | undefined;
  /** Whether one reply may ask for several calls. */
  readonly parallelToolCalls?: boolean | undefined;
  /** What only one provider knows, by its name; given to it as it is. */
  readonly providerOptions?: ProviderData | undefined;
}

/** A choice with the model calls of a loop that it holds for; in the others the model calls tools as it likes. */
export type LoopToolChoice = ToolChoice | { readonly first: ToolChoice } | { readonly every: ToolChoice };

/** How the replies of a loop are to be made: what an agent or an agentic tool declares, over the defaults of its model. */
export interface AgentSettings extends Omit<ModelSettings, 'toolChoice'> {
  /** The most tokens of one reply, thinking included; where its model can write fewer, those. */
  readonly maxOutputTokens?: number | undefined;
  /**
   * `required` and one tool hold for the first model call of a turn or of a nested loop, so that it can end in words; `auto` and
   * `none` for every call. `{ first }` and `{ every }` say it otherwise: a loop in which every reply must call tools ends by a
   * tool that returns directly, by a signal or by a limit.
   */
  readonly toolChoice?: LoopToolChoice | undefined;
}

/** The settings that are set, over others; what only one provider knows is merged provider by provider. */
export function mergedSettings(under: AgentSettings = {}, over: AgentSettings = {}): AgentSettings {
  const provider = mergedOptions(under.providerOptions, over.providerOptions);
  return { ...setIn(under), ...setIn(over), ...(provider && { providerOptions: provider }) };
}

/** Without the keys that hold nothing. */
const setIn = (settings: AgentSettings): AgentSettings =>
  Object.fromEntries(Object.entries(settings).filter(([, value]) => value !== undefined));

function mergedOptions(
  under: ProviderData | undefined,
  over: ProviderData | undefined,
): ProviderData | undefined {
  if (!under || !over) return over ?? under;
  const both = Object.entries(over).map(([name, options]) => {
    const known = Object.hasOwn(under, name) ? under[name] : undefined;
    return [name, isRecord(known) && isRecord(options) ? { ...known, ...options } : options] as const;
  });
  return { ...under, ...Object.fromEntries(both) };
}

/** A setting that no model can work with. */
interface SettingProblem {
  /** The name of the setting. */
  readonly path: string;
  readonly value: string;
  /** What it can be, to go on after "use ". */
  readonly use: string;
}

const EFFORTS: readonly ReasoningEffort[] = ['none', 'minimal', 'low', 'medium', 'high', 'xhigh', 'max'];

/** For each setting, what it can be, and whether a value is that; callers without types may give anything. */
export const SETTINGS: Readonly<
  Record<keyof AgentSettings, readonly [use: string, fits: (value: unknown) => boolean]>
> = {
  temperature: ['a number from 0 to 2', (value) => isWithin(value, 2)],
  topP: ['a number from 0 to 1', (value) => isWithin(value, 1)],
  topK: ['a positive whole number', (value) => isCount(value)],
  seed: ['a whole number', (value) => Number.isSafeInteger(value)],
  stop: [
    'a list of one text or more, none of them empty',
    (value) => Array.isArray(value) && value.length > 0 && value.every((one) => isWord(one)),
  ],
  reasoning: [
    `one of ${EFFORTS.map((effort) => `'${effort}'`).join(', ')}`,
    (value) => EFFORTS.some((effort) => effort === value),
  ],
  parallelToolCalls: ['true or false', (value) => typeof value === 'boolean'],
  providerOptions: [
    'objects by the name of their provider, such as { openai: { store: false } }',
    (value) => isRecord(value) && Object.values(value).every(isRecord),
  ],
  maxOutputTokens: ['a positive whole number', (value) => isCount(value)],
  toolChoice: [
    "'auto', 'required', 'none' or { tool: 'name' }, or one of these as { first } or { every }",
    (value) => [value, only(value, 'first'), only(value, 'every')].some(isChoice),
  ],
};

/** The first setting that there is not, or that has a value which it cannot have; `undefined` when there is none. */
export function settingsProblem(settings: AgentSettings = {}): SettingProblem | undefined {
  for (const [path, value] of Object.entries(settings)) {
    if (value !== undefined && !Object.hasOwn(SETTINGS, path))
      return { path, value: shownSetting(value), use: `one of ${Object.keys(SETTINGS).join(', ')}` };
  }
  for (const [path, [use, fits]] of Object.entries(SETTINGS)) {
    const value: unknown = Reflect.get(settings, path);
    if (value !== undefined && !fits(value)) return { path, value: shownSetting(value), use };
  }
  return undefined;
}

/** A setting in a message for developers. */
export const shownSetting = (value: unknown): string =>
  (typeof value === 'number' ? String(value) : (JSON.stringify(value) ?? String(value))).slice(0, 80);

/** The default settings that an adapter was given. @throws TypeError when one has a value that it cannot have. */
export function checkModelSettings(settings: ModelSettings | undefined): {
  readonly settings?: ModelSettings;
} {
  if (settings === undefined) return {};
  const problem = settingsProblem(settings);
  if (!problem) return { settings };
  throw new TypeError(`'settings.${problem.path}' is ${problem.value}; use ${problem.use}.`);
}

const isWithin = (value: unknown, most: number): boolean =>
  typeof value === 'number' && value >= 0 && value <= most;

const isCount = (value: unknown): boolean => Number.isSafeInteger(value) && Number(value) > 0;

const isWord = (value: unknown): value is string => typeof value === 'string' && value !== '';

const isChoice = (value: unknown): boolean =>
  value === 'auto' || value === 'required' || value === 'none' || isWord(only(value, 'tool'));

/** What stands under a key of a choice that says nothing else: of two nobody could know which one is meant. */
const only = (value: unknown, key: 'tool' | 'first' | 'every'): unknown =>
  isRecord(value) && ['tool', 'first', 'every'].every((name) => name in value === (name === key))
    ? value[key]
    : undefined;
