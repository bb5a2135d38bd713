import { ModelError, type ModelRequest } from '../chat-model.ts';
import type { ModelSettings } from '../settings.ts';
import { isRecord, type UntrustedRecord } from '../untrusted-json.ts';

/** The settings that every server of chat completions is told by the same field. */
export const commonFields = ({ temperature, topP, seed, reasoning }: ModelSettings): UntrustedRecord =>
  saying({ temperature, top_p: topP, seed, reasoning_effort: reasoning });

/**
 * How tools are to be chosen. Nothing without tools, beside which OpenAI refuses to be told.
 *
 * @throws ModelError `bad-request` when the tool to be called is not offered.
 */
export const choiceFields = (
  { toolChoice, parallelToolCalls }: ModelSettings,
  { tools }: Pick<ModelRequest, 'tools'>,
): UntrustedRecord => {
  if (tools.length === 0) return {};
  const parallel = { parallel_tool_calls: parallelToolCalls };
  if (typeof toolChoice !== 'object') return saying({ tool_choice: toolChoice, ...parallel });
  const { tool } = toolChoice;
  if (tools.some(({ name }) => name === tool))
    return saying({ tool_choice: { type: 'function', function: { name: tool } }, ...parallel });
  throw refused(`'toolChoice' names the tool '${tool}', which this request does not offer.`);
};

/**
 * What the settings hold for this adapter alone, as fields of its request.
 *
 * @throws ModelError `bad-request` for what is no object, and for a field of `ours`, which the adapter sets itself.
 */
export const ownFields = (
  { providerOptions }: ModelSettings,
  { key, ours }: { readonly key: string; readonly ours: ReadonlySet<string> },
): UntrustedRecord => {
  const own = providerOptions?.[key];
  if (own === undefined) return {};
  if (!isRecord(own)) throw refused(`'providerOptions.${key}' is not an object.`);
  const field = Object.keys(own).find((name) => ours.has(name));
  if (field !== undefined)
    throw refused(`'providerOptions.${key}.${field}' is set by the adapter; leave it out.`);
  return own;
};

/** The error for a setting that a model cannot be given. Nothing was sent. */
export const refused = (problem: string): ModelError => new ModelError('bad-request', problem);

/** The fields that say something. A binding may look at what is only named. */
const saying = (fields: UntrustedRecord): UntrustedRecord =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined));
