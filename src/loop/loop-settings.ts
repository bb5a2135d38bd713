import type { ChatModel, ModelRequest, ToolDefinition } from '../model/chat-model.ts';
import {
  type AgentSettings,
  type LoopToolChoice,
  type ModelSettings,
  mergedSettings,
  type ToolChoice,
} from '../model/settings.ts';
import { warning } from '../tool/log.ts';
import type { Loop, LoopSpec } from './loop.ts';

/**
 * Returns why a model would refuse every request with these settings, or `undefined`. The text follows the
 * name of their owner.
 */
export function refusedSettings({
  model,
  settings,
}: {
  readonly model: ChatModel;
  readonly settings?: AgentSettings | undefined;
}): string | undefined {
  if (!model.refuses) return undefined;
  const { maxOutputTokens: _, toolChoice: declared, ...others } = settingsOf({ model, settings });
  const why = chosenIn(declared)
    .map((toolChoice) => model.refuses?.({ ...others, toolChoice }))
    .find((words) => words !== undefined);
  return why === undefined
    ? undefined
    : `has settings that its model '${model.name.slice(0, 80)}' refuses: ${why}`;
}

/**
 * Returns the tool choices that a declared choice can produce. `undefined` means that the model is free to
 * choose.
 */
function chosenIn(declared: AgentSettings['toolChoice']): readonly (ToolChoice | undefined)[] {
  if (typeof declared !== 'object' || 'tool' in declared) return [declared];
  return [...('first' in declared ? [declared.first] : []), ...('every' in declared ? [declared.every] : [])];
}

/** The parts of a request beside its conversation. */
type Asked = Pick<ModelRequest, 'tools' | 'settings' | 'maxOutputTokens'>;

/**
 * Returns the tools and settings of the next request. With `last`, the reply must be text, without calls.
 * Omits keys that are not set, since adapters and test scripts compare requests.
 */
export function requestSettings(
  { spec, frame, log }: Pick<Loop, 'spec' | 'frame' | 'log'>,
  { last, tools: offered }: { readonly last: boolean; readonly tools: readonly ToolDefinition[] },
): Asked {
  // Most loops have no settings.
  if (!last && !spec.settings && !spec.model.settings) return { tools: offered };
  const { maxOutputTokens, toolChoice: declared, ...others } = settingsOf(spec);
  const asked = last ? 'none' : choiceNow(declared, frame.iterations);
  const tools = asked === 'none' && !spec.model.heedsToolChoice ? [] : offered;
  const toolChoice = isPossible(asked, tools) ? asked : undefined;
  if (toolChoice === undefined && typeof asked === 'object') log(warning(notOffered(asked.tool)));
  const settings = { ...others, ...(toolChoice && { toolChoice }) };
  return { tools, ...limited(spec, maxOutputTokens), ...told(settings, tools) };
}

/**
 * Returns the settings of a request other than the one for the loop's next reply. Its tool choice,
 * `maxOutputTokens` and `stop` do not apply.
 */
export function asideSettings({
  spec,
}: {
  readonly spec: Pick<LoopSpec, 'model' | 'settings'>;
}): Pick<Asked, 'settings'> {
  const { maxOutputTokens: _, toolChoice: __, stop: ___, ...settings } = settingsOf(spec);
  return told(settings, []);
}

/** Omits the time limit, which the loop itself enforces. */
function settingsOf({
  model,
  settings,
}: Pick<LoopSpec, 'model' | 'settings'>): Omit<AgentSettings, 'timeout'> {
  const { timeout: _, ...asked } = mergedSettings(model.settings, settings);
  return asked;
}

/** Returns the tool choice for one model call, given the number of earlier calls of the loop. */
function choiceNow(declared: LoopToolChoice | undefined, before: number): ToolChoice | undefined {
  if (typeof declared !== 'object' || 'tool' in declared) {
    const isForced = declared !== 'auto' && declared !== 'none';
    return isForced && before > 0 ? undefined : declared;
  }
  if ('every' in declared) return declared.every;
  return before > 0 ? undefined : declared.first;
}

/**
 * Providers refuse a choice without tools, and a choice of a tool that is not offered, such as one that
 * unlocks later.
 */
const isPossible = (choice: ToolChoice | undefined, tools: readonly ToolDefinition[]): boolean =>
  typeof choice === 'object' ? tools.some(({ name }) => name === choice.tool) : tools.length > 0;

const notOffered = (tool: string): string =>
  `the tool choice '${tool}' is not offered now, so the model chooses freely`;

const limited = ({ model }: LoopSpec, most: number | undefined): Pick<Asked, 'maxOutputTokens'> =>
  most === undefined ? {} : { maxOutputTokens: Math.min(most, model.maxOutputTokens ?? most) };

function told(
  { parallelToolCalls, ...others }: ModelSettings,
  tools: readonly ToolDefinition[],
): Pick<Asked, 'settings'> {
  const parallel = tools.length > 0 && parallelToolCalls !== undefined && { parallelToolCalls };
  const settings = { ...others, ...parallel };
  return Object.keys(settings).length === 0 ? {} : { settings };
}
