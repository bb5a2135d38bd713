import { getErrorMessage } from '../../tool/async.ts';
import { isTool, ToolDefinitionError } from '../../tool/check-definition.ts';
import { withoutAdvice } from '../../tool/check-input.ts';
import { copyJson } from '../../tool/copy-json.ts';
import { decorate } from '../../tool/decorate.ts';
import { toTextInput } from '../../tool/define-tool.ts';
import type { DoneCall, PlannedCall } from '../../tool/frame.ts';
import { isJsonObject, type Json, type JsonObject, shorten } from '../../tool/json.ts';
import { literals } from '../../tool/literals.ts';
import { SignalError, toSignalResult } from '../../tool/signals.ts';
import type { AnyTool } from '../../tool/tool.ts';
import { createToolResult, error, type ToolResult } from '../../tool/tool-result.ts';
import { withName } from '../../tool/with.ts';

/** A declared step. */
export type PipelineStep = AnyTool | AdaptedStep;

/** A step with a function that converts its result to the next step's input. */
export interface AdaptedStep {
  readonly tool: AnyTool;
  /** Converts the result. Called only if the step succeeded and another step follows. */
  readonly adapt?: Adapter | undefined;
}

/**
 * Converts a successful result to the next step's input: an object, or text, as a model would send it. `null`
 * and `undefined` become an empty text. It runs again on every resume, so it must depend only on the result
 * and have no side effects.
 */
export type Adapter = (result: ToolResult) => object | string | null | undefined;

/** A step in the pipeline's frame. */
export interface Step {
  /** The tool's own name, for messages. */
  readonly label: string;
  /**
   * The tool with its name in the frame, which differs from its own name if an earlier step has that name.
   */
  readonly tool: AnyTool;
  readonly adapt: Adapter | undefined;
}

/**
 * Reads the declared steps. @throws ToolDefinitionError if a step is neither a tool nor `{ tool, adapt }`.
 */
export function readSteps(pipeline: string, declared: readonly PipelineStep[]): readonly AdaptedStep[] {
  return declared.map((step, index) => {
    const createError = (problem: string): ToolDefinitionError =>
      new ToolDefinitionError(pipeline, `steps[${index}]`, `its step at index ${index} ${problem}.`);
    if (step === null || step === undefined) throw createError(`must not be ${step}`);
    const { tool, adapt }: AdaptedStep = isAdapted(step) ? step : { tool: step };
    const stranger = isAdapted(step) ? literals?.innerFault(step, ADAPTED_SHAPE) : undefined;
    if (stranger) throw createError(`has '${stranger.path}'. Use ${stranger.use}`);
    if (!isTool(tool)) throw createError('is neither a tool nor { tool, adapt }');
    if (adapt !== undefined && typeof adapt !== 'function')
      throw createError('has an adapt that is not a function');
    return { tool, adapt };
  });
}

const ADAPTED_SHAPE: { readonly keys: readonly (keyof AdaptedStep)[] } = { keys: ['tool', 'adapt'] };

const isAdapted = (step: PipelineStep): step is AdaptedStep => typeof step === 'object' && 'tool' in step;

export function nameSteps(steps: readonly AdaptedStep[]): readonly Step[] {
  const used = new Set<string>();
  return steps.map(({ tool, adapt }) => {
    const name = used.has(tool.name) ? findFreeName(tool.name, used) : tool.name;
    used.add(name);
    const named = name === tool.name ? tool : withName(tool, name);
    // With `returnDirect`, a step would end the frame before the next step.
    return { label: tool.name, tool: decorate(named, { returnDirect: false }), adapt };
  });
}

const MAX_NAME_LENGTH = 64;

function findFreeName(name: string, used: ReadonlySet<string>): string {
  for (let i = 2; ; i += 1) {
    const free = `${name.slice(0, MAX_NAME_LENGTH - 4)}_${i}`;
    if (!used.has(free)) return free;
  }
}

/** The steps of a pipeline, and the input of its call. */
export interface PipelineRun {
  /** At least one step. */
  readonly steps: readonly [Step, ...Step[]];
  readonly onFailure: OnFailure;
  readonly input: JsonObject;
}

/** Whether a pipeline stops at a failed step, or passes its message on. */
export type OnFailure = 'fail-fast' | 'continue';

/** The state of a pipeline: the call of its next step, or its result. */
type PipelineProgress = { readonly next: PlannedCall } | { readonly done: ToolResult };

/**
 * Returns the state of a pipeline. It depends only on the results so far, so any invocation can resume it
 * from the journal.
 */
export function computeProgress(
  { steps, onFailure, input }: PipelineRun,
  calls: readonly DoneCall[],
): PipelineProgress {
  if (calls.some(({ tool }, place) => tool !== steps[place]?.tool.name))
    return { done: createChangedError(calls) };
  const index = calls.length - 1;
  const [ran, last, next] = [steps[index], calls[index]?.result, steps[index + 1]];
  if (!ran || !last) return { next: { tool: steps[0].tool.name, input } };
  if (last.signal) return { done: last };
  const result = explainStepError(ran, steps[index - 1], last);
  if (!next) return { done: result };
  if (result.type !== 'error') return adaptResult(ran, next, result);
  return isStopping(result, onFailure) ? { done: result } : { next: toPlannedCall(next, result.message) };
}

/**
 * Returns the error for steps that changed after the pipeline began, because a step that has run must not run
 * again at another position.
 */
const createChangedError = (calls: readonly DoneCall[]): ToolResult =>
  error(
    `The pipeline has changed since it began. Its steps ${calls.map(({ tool }) => `'${tool}'`).join(', ')} have run, and ` +
      'nothing more was run. Do not assume that it did all of its work.',
  );

/**
 * Returns `true` if the pipeline stops. An unknown outcome always stops it, because results of later steps
 * must not hide it.
 */
const isStopping = (result: Extract<ToolResult, { type: 'error' }>, onFailure: OnFailure): boolean =>
  onFailure === 'fail-fast' || result.reason === 'unknown-outcome';

/**
 * Returns the result of a step. If an error does not come from the tool itself, its message names the step.
 */
function explainStepError(step: Step, before: Step | undefined, result: ToolResult): ToolResult {
  if (result.type !== 'error') return result;
  if (result.reason === 'threw') {
    return createToolResult({ ...result, message: `Step '${step.label}' threw: ${result.message}` });
  }
  if (result.reason !== 'invalid-input' || !before) return result;
  const problem = withoutAdvice(result.message);
  const message = `Step '${step.label}' did not run, because the output of step '${before.label}' is not valid input for it. ${problem}`;
  return createToolResult({ ...result, message });
}

function adaptResult(step: Step, next: Step, result: ToolResult): PipelineProgress {
  if (!step.adapt) return { next: toPlannedCall(next, getStepValue(next, result)) };
  try {
    const copy = copyJson(step.adapt(result) ?? '');
    if (copy.ok) return { next: toPlannedCall(next, copy.value) };
    const { path, what } = copy.problem;
    return {
      done: error(`The adapter of step '${step.label}' returned no JSON: at \`${path}\` it is ${what}.`),
    };
  } catch (thrown) {
    if (thrown instanceof SignalError) return { done: toSignalResult(thrown) };
    const message = getErrorMessage(thrown);
    return { done: error(`The adapter of step '${step.label}' threw: ${shorten(message, 240)}`) };
  }
}

/**
 * Plans a call. A text tool receives text unchanged. For any other tool, text must be the JSON of its input,
 * which the tool checks.
 */
function toPlannedCall({ tool }: Step, value: Json): PlannedCall {
  if (isJsonObject(value)) return { tool: tool.name, input: value };
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  return { tool: tool.name, input: tool.readInput ? toTextInput(text) : text };
}

/**
 * Returns the text that the model would read for a text tool, and the artifact's value for any other tool.
 */
const getStepValue = ({ tool }: Step, result: ToolResult): Json =>
  tool.readInput || result.type !== 'artifact' ? result.content : result.value;
