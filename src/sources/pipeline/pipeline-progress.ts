import { toTextInput } from '../../tool/define-text-tool.ts';
import type { DoneCall, PlannedCall } from '../../tool/frame.ts';
import { copyJson, isJsonObject, type Json, type JsonObject, shorten } from '../../tool/json.ts';
import { SignalError, signalled } from '../../tool/signals.ts';
import { error, type ToolResult, toolResult } from '../../tool/tool-result.ts';
import type { Step } from './pipeline-step.ts';

/** What a pipeline does with a step that failed: stop, or hand its message on. */
export type OnFailure = 'fail-fast' | 'continue';

/** Where a pipeline stands: the call of its next step, or its result. */
type Progress = { readonly next: PlannedCall } | { readonly done: ToolResult };

/** What a pipeline is made of, and what it was called with. */
export interface PipelineRun {
  /** At least one. */
  readonly steps: readonly [Step, ...Step[]];
  readonly onFailure: OnFailure;
  readonly input: JsonObject;
}

/** Decides from the results so far alone, so that any invocation goes on where the journal stands. */
export function progressOf({ steps, onFailure, input }: PipelineRun, calls: readonly DoneCall[]): Progress {
  if (calls.some(({ tool }, place) => tool !== steps[place]?.tool.name)) return { done: changed(calls) };
  const index = calls.length - 1;
  const [ran, last, next] = [steps[index], calls[index]?.result, steps[index + 1]];
  if (!ran || !last) return { next: { tool: steps[0].tool.name, input } };
  if (last.signal) return { done: last };
  const result = ofStep(ran, steps[index - 1], last);
  if (!next) return { done: result };
  if (result.type !== 'error') return adapted(ran, next, result);
  return stops(result, onFailure) ? { done: result } : { next: handOver(next, result.message) };
}

/** Its steps were others when it began: what ran must not run again at another place. */
const changed = (calls: readonly DoneCall[]): ToolResult =>
  error(
    `The pipeline has changed since it began. Its steps ${calls.map(({ tool }) => `'${tool}'`).join(', ')} have run, and ` +
      'nothing more was run. Do not assume that it did all of its work.',
  );

/** A doubt about what happened is never lost among the results of later steps. */
const stops = (result: Extract<ToolResult, { type: 'error' }>, onFailure: OnFailure): boolean =>
  onFailure === 'fail-fast' || result.reason === 'unknown-outcome';

/** What a model is told to do about a bad input, which here is not of its making. */
const ADVICE = /(\nCall it again with a corrected input\.| Send one JSON object that matches its schema\.)$/;

/** The result of a step; an error that does not come from the tool's own words names the step (AEP-09). */
function ofStep(step: Step, before: Step | undefined, result: ToolResult): ToolResult {
  if (result.type !== 'error') return result;
  if (result.reason === 'threw') {
    return toolResult({ ...result, message: `Step '${step.label}' threw: ${result.message}` });
  }
  if (result.reason !== 'invalid-input' || !before) return result;
  const problem = result.message.replace(ADVICE, '');
  const message = `Step '${step.label}' did not run, since what step '${before.label}' handed on is no input for it. ${problem}`;
  return toolResult({ ...result, message });
}

function adapted(step: Step, next: Step, result: ToolResult): Progress {
  if (!step.adapt) return { next: handOver(next, fitting(next, result)) };
  try {
    const copy = copyJson(step.adapt(result) ?? '');
    if (copy.ok) return { next: handOver(next, copy.value) };
    const { path, what } = copy.problem;
    return { done: error(`The adapter of step '${step.label}' gave no JSON: at \`${path}\` it is ${what}.`) };
  } catch (thrown) {
    if (thrown instanceof SignalError) return { done: signalled(thrown) };
    const message = thrown instanceof Error ? thrown.message : String(thrown);
    return { done: error(`The adapter of step '${step.label}' threw: ${shorten(message, 240)}`) };
  }
}

/** A text tool is given text as it is; for another, text must be the JSON of its input, which the tool checks. */
function handOver({ tool }: Step, value: Json): PlannedCall {
  if (isJsonObject(value)) return { tool: tool.name, input: value };
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  return { tool: tool.name, input: tool.readInput ? toTextInput(text) : text };
}

/** A text tool takes what the model would read. */
const fitting = ({ tool }: Step, result: ToolResult): Json =>
  tool.readInput || result.type !== 'artifact' ? result.content : result.value;
