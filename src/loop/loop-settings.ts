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

/** Answers why a model would refuse every request with these settings, to go on after whoever has them. */
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

/** The choices that a declared one comes to; `undefined` among them when the model is free. */
function chosenIn(declared: AgentSettings['toolChoice']): readonly (ToolChoice | undefined)[] {
  if (typeof declared !== 'object' || 'tool' in declared) return [declared];
  return [...('first' in declared ? [declared.first] : []), ...('every' in declared ? [declared.every] : [])];
}

/** What the next request says beside its conversation. */
type Asked = Pick<ModelRequest, 'tools' | 'settings' | 'maxOutputTokens'>;

/**
 * Answers how the next reply is asked for, and with which tools. `last`: the reply must be words, so that none are to be called.
 * Keys are there only where something is set: adapters and scripts compare requests.
 */
export function requestSettings(
  { spec, frame, log }: Pick<Loop, 'spec' | 'frame' | 'log'>,
  { last, tools: offered }: { readonly last: boolean; readonly tools: readonly ToolDefinition[] },
): Asked {
  // Most loops set nothing.
  if (!last && !spec.settings && !spec.model.settings) return { tools: offered };
  const { maxOutputTokens, toolChoice: declared, ...others } = settingsOf(spec);
  const asked = last ? 'none' : choiceNow(declared, frame.iterations);
  const tools = asked === 'none' && !spec.model.heedsToolChoice ? [] : offered;
  const toolChoice = isPossible(asked, tools) ? asked : undefined;
  if (toolChoice === undefined && typeof asked === 'object') log(warning(notOffered(asked.tool)));
  const settings = { ...others, ...(toolChoice && { toolChoice }) };
  return { tools, ...limited(spec, maxOutputTokens), ...told(settings, tools) };
}

/** The same for a request of the loop that is not for its next reply: neither its tool choice nor its bounds are meant for it. */
export function asideSettings({ spec }: Pick<Loop, 'spec'>): Pick<Asked, 'settings'> {
  const { maxOutputTokens: _, toolChoice: __, stop: ___, ...settings } = settingsOf(spec);
  return told(settings, []);
}

/** The time limit is the loop's own: no model is asked to keep it. */
function settingsOf({
  model,
  settings,
}: Pick<LoopSpec, 'model' | 'settings'>): Omit<AgentSettings, 'timeout'> {
  const { timeout: _, ...asked } = mergedSettings(model.settings, settings);
  return asked;
}

/** The choice that holds for one model call of a loop, after so many others. */
function choiceNow(declared: LoopToolChoice | undefined, before: number): ToolChoice | undefined {
  if (typeof declared !== 'object' || 'tool' in declared) {
    const isForced = declared !== 'auto' && declared !== 'none';
    return isForced && before > 0 ? undefined : declared;
  }
  if ('every' in declared) return declared.every;
  return before > 0 ? undefined : declared.first;
}

/** Providers refuse a choice without tools, and one of a tool that is not among them, such as one that unlocks later. */
const isPossible = (choice: ToolChoice | undefined, tools: readonly ToolDefinition[]): boolean =>
  typeof choice === 'object' ? tools.some(({ name }) => name === choice.tool) : tools.length > 0;

const notOffered = (tool: string): string =>
  `the tool choice '${tool}' is not offered now: the model chooses as it likes`;

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
