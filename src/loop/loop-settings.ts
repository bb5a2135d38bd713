import type { ChatModel, ModelRequest, ToolDefinition } from '../model/chat-model.ts';
import {
  type AgentSettings,
  type LoopToolChoice,
  type ModelSettings,
  mergeSettings,
  type ToolChoice,
} from '../model/settings.ts';
import { createWarningEntry } from '../tool/log.ts';
import type { Loop, LoopSpec } from './loop.ts';

/**
 * Returns why a model would refuse every request with these settings, or `undefined`. The text follows the
 * name of their owner.
 */
export function findSettingsProblem({
  model,
  settings,
}: {
  readonly model: ChatModel;
  readonly settings?: AgentSettings | undefined;
}): string | undefined {
  if (!model.refuses) return undefined;
  const { maxOutputTokens: _, toolChoice: declared, ...others } = resolveSettings({ model, settings });
  const why = listPossibleToolChoices(declared)
    .map((toolChoice) => model.refuses?.({ ...others, toolChoice }))
    .find((words) => words !== undefined);
  return why === undefined
    ? undefined
    : `has settings that its model '${model.name.slice(0, 80)}' refuses: ${why}`;
}

/** Returns the tool choices that a declared choice can produce. `undefined`: the model is free to choose. */
function listPossibleToolChoices(declared: AgentSettings['toolChoice']): readonly (ToolChoice | undefined)[] {
  if (typeof declared !== 'object' || 'tool' in declared) return [declared];
  return [...('first' in declared ? [declared.first] : []), ...('every' in declared ? [declared.every] : [])];
}

/** The parts of a request beside its conversation. */
type RequestParameters = Pick<ModelRequest, 'tools' | 'settings' | 'maxOutputTokens'>;

/**
 * Returns the tools and settings of the next request. With `last`, the reply must be text, without calls.
 * Omits keys that are not set, since adapters and test scripts compare requests.
 */
export function createRequestSettings(
  { spec, frame, log }: Pick<Loop, 'spec' | 'frame' | 'log'>,
  { last, tools: offered }: { readonly last: boolean; readonly tools: readonly ToolDefinition[] },
): RequestParameters {
  // Most loops have no settings.
  if (!last && !spec.settings && !spec.model.settings) return { tools: offered };
  const { maxOutputTokens, toolChoice: declared, ...others } = resolveSettings(spec);
  const asked = last ? 'none' : getCurrentToolChoice(declared, frame.iterations);
  const tools = asked === 'none' && !spec.model.heedsToolChoice ? [] : offered;
  const toolChoice = isPossibleChoice(asked, tools) ? asked : undefined;
  if (toolChoice === undefined && typeof asked === 'object')
    log(createWarningEntry(formatNotOfferedMessage(asked.tool)));
  const settings = { ...others, ...(toolChoice && { toolChoice }) };
  return { tools, ...limitOutputTokens(spec, maxOutputTokens), ...pickSettings(settings, tools) };
}

/**
 * Returns the settings of a request other than the one for the loop's next reply. Its tool choice,
 * `maxOutputTokens` and `stop` do not apply.
 */
export function getAsideSettings({
  spec,
}: {
  readonly spec: Pick<LoopSpec, 'model' | 'settings'>;
}): Pick<RequestParameters, 'settings'> {
  const { maxOutputTokens: _, toolChoice: __, stop: ___, ...settings } = resolveSettings(spec);
  return pickSettings(settings, []);
}

/** Omits the time limit, which the loop itself enforces. */
function resolveSettings({
  model,
  settings,
}: Pick<LoopSpec, 'model' | 'settings'>): Omit<AgentSettings, 'timeout'> {
  const { timeout: _, ...asked } = mergeSettings(model.settings, settings);
  return asked;
}

/** Returns the tool choice for one model call, given the number of earlier calls of the loop. */
function getCurrentToolChoice(declared: LoopToolChoice | undefined, before: number): ToolChoice | undefined {
  if (typeof declared !== 'object' || 'tool' in declared) {
    const isForced = declared !== 'auto' && declared !== 'none';
    return isForced && before > 0 ? undefined : declared;
  }
  if ('every' in declared) return declared.every;
  return before > 0 ? undefined : declared.first;
}

/**
 * Returns whether a provider would accept a choice. Providers refuse a choice without tools, or of a tool
 * that is not offered, such as a locked one.
 */
const isPossibleChoice = (choice: ToolChoice | undefined, tools: readonly ToolDefinition[]): boolean =>
  typeof choice === 'object' ? tools.some(({ name }) => name === choice.tool) : tools.length > 0;

const formatNotOfferedMessage = (tool: string): string =>
  `the tool choice '${tool}' is not offered now, so the model chooses freely`;

const limitOutputTokens = (
  { model }: LoopSpec,
  most: number | undefined,
): Pick<RequestParameters, 'maxOutputTokens'> =>
  most === undefined ? {} : { maxOutputTokens: Math.min(most, model.maxOutputTokens ?? most) };

function pickSettings(
  { parallelToolCalls, ...others }: ModelSettings,
  tools: readonly ToolDefinition[],
): Pick<RequestParameters, 'settings'> {
  const parallel = tools.length > 0 && parallelToolCalls !== undefined && { parallelToolCalls };
  const settings = { ...others, ...parallel };
  return Object.keys(settings).length === 0 ? {} : { settings };
}
