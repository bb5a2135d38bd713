import type { ChatModel, ModelOfEnv } from '../model/chat-model.ts';
import {
  type AgentSettings,
  mergedSettings,
  SETTINGS,
  settingsProblem,
  shownSetting,
  type ToolChoice,
} from '../model/settings.ts';
import { shown, strangerIn } from '../tool/check-literal.ts';
import { shorten } from '../tool/json.ts';
import type { AnyTool } from '../tool/tool.ts';

/** What settings are declared beside. */
interface DeclaredWith {
  readonly tools: readonly AnyTool[];
  /** Only a turn will know all of its tools. */
  readonly hasMoreTools: boolean;
  readonly model?: ChatModel | ModelOfEnv | undefined;
}

/** What is wrong with the settings of a loop; `problem` goes on after whoever has them, such as "Agent 'x' ". */
interface SettingsFault {
  readonly field: string;
  readonly problem: string;
}

/** Answers what is wrong with declared settings, as far as the declaration tells; `undefined` when nothing is. */
export function settingsFault(
  settings: AgentSettings | undefined,
  { model, ...tools }: DeclaredWith,
): SettingsFault | undefined {
  if (settings === undefined) return undefined;
  const stranger = strangerIn(settings, SETTINGS, FOREIGN);
  const bad = stranger ?? settingsProblem(settings) ?? choiceProblem(settings, tools);
  if (bad) {
    const { path, value, use } = bad;
    return { field: `settings.${path}`, problem: `has a setting '${path}' of ${value}: use ${use}` };
  }
  const problem = typeof model === 'object' ? refusedSettings({ model, settings }) : undefined;
  return problem === undefined ? undefined : { field: 'settings', problem };
}

/** What other libraries call settings. */
const FOREIGN = {
  maxTokens: 'maxOutputTokens',
  max_tokens: 'maxOutputTokens',
  stopSequences: 'stop',
  effort: 'reasoning',
  reasoningEffort: 'reasoning',
};

/** Answers why a model would refuse every request with these settings, to go on after whoever has them. */
export function refusedSettings({
  model,
  settings,
}: {
  readonly model: ChatModel;
  readonly settings?: AgentSettings | undefined;
}): string | undefined {
  if (!model.refuses) return undefined;
  const { maxOutputTokens: _, toolChoice: declared, ...others } = mergedSettings(model.settings, settings);
  const why = chosenIn(declared)
    .map((toolChoice) => model.refuses?.({ ...others, toolChoice }))
    .find((words) => words !== undefined);
  return why === undefined
    ? undefined
    : `has settings that its model '${model.name.slice(0, 80)}' refuses: ${why}`;
}

/** The choices that a declared one comes to; `undefined` among them when the model is free. */
function chosenIn(declared: AgentSettings['toolChoice']): readonly (ToolChoice | undefined)[] {
  if (typeof declared !== 'object' || 'tool' in declared) return [declared];
  return [...('first' in declared ? [declared.first] : []), ...('every' in declared ? [declared.every] : [])];
}

/** A tool choice that can never hold. */
function choiceProblem(
  { toolChoice: declared }: AgentSettings,
  { tools, hasMoreTools }: Omit<DeclaredWith, 'model'>,
): ReturnType<typeof settingsProblem> {
  if (hasMoreTools) return undefined;
  for (const choice of chosenIn(declared)) {
    const problem = { path: 'toolChoice', value: shownSetting(declared) };
    if (tools.length === 0 && (choice === 'required' || typeof choice === 'object'))
      return { ...problem, use: 'it beside tools, of which there are none' };
    if (typeof choice === 'object' && !isAmong(tools, choice.tool))
      return { ...problem, use: `one of its tools: ${listed(tools)}` };
  }
  return undefined;
}

/** Tools inside tools count: one that unfolds is offered in its place. */
const isAmong = (tools: readonly AnyTool[], name: string): boolean => namesIn(tools, new Set()).has(name);

function namesIn(tools: readonly AnyTool[], names: Set<string>): ReadonlySet<string> {
  for (const { name, inner = [] } of tools) {
    if (names.has(name)) continue;
    names.add(name);
    namesIn(inner, names);
  }
  return names;
}

/** Names of tools in a message. */
const MAX_NAMES = 20;

const listed = (tools: readonly AnyTool[]): string =>
  tools
    .slice(0, MAX_NAMES)
    .map(({ name }) => `'${shorten(name, 64)}'`)
    .join(', ') + (tools.length > MAX_NAMES ? ` and ${tools.length - MAX_NAMES} more` : '');

/** Says why a value is no model, with what to write; `undefined` for a model, a function that makes one, and for none. */
export function modelProblem(given: unknown): string | undefined {
  if (given === undefined || typeof given === 'function') return undefined;
  const { ask, doGenerate, run }: Readonly<Record<string, unknown>> = Object(given);
  if (typeof ask === 'function') return undefined;
  const named = typeof given === 'string' ? `: '${shorten(given, 80)}'` : '';
  const ofServer = `openAICompatible({ baseURL, apiKey, model${named} })`;
  const ofBinding = typeof run === 'function' ? 'workersAi(env.AI, { model })' : ofServer;
  const made = typeof doGenerate === 'function' ? 'fromAiSdk(model)' : ofBinding;
  return `has ${shown(given)} as its 'model': use a model, as in ${made}, or a function of the environment that makes one`;
}
