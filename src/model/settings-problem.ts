import type { AgentSettings, ModelSettings, ReasoningEffort } from './settings.ts';
import { isRecord } from './untrusted-json.ts';

/** A setting that no model can work with. */
export interface SettingProblem {
  /** Its name. */
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
