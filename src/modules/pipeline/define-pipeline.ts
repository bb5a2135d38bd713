import type { Frame } from '../../loop/loop-agent.ts';
import { nest } from '../../loop/nest.ts';
import {
  checkNaming,
  checkToolLiteral,
  checkWord,
  ToolDefinitionError,
} from '../../tool/check-definition.ts';
import type { LiteralShape } from '../../tool/check-literal.ts';
import { defineTextTool } from '../../tool/define-tool.ts';
import type { Plan } from '../../tool/frame.ts';
import { toInputSchema } from '../../tool/input-schema.ts';
import { literals } from '../../tool/literals.ts';
import type { AnyTool, CallRun, Tool, ToolInput, ToolOutput } from '../../tool/tool.ts';
import { NAMED_KEYS } from '../../tool/tool-literals.ts';
import { error, type ToolResult } from '../../tool/tool-result.ts';
import {
  computeProgress,
  nameSteps,
  type OnFailure,
  type PipelineRun,
  type PipelineStep,
  readSteps,
} from './steps.ts';

/** The configuration of `definePipeline`. */
export interface PipelineConfig<Name extends string, Steps extends readonly PipelineStep[]> {
  /** Defaults to the names of the steps, joined by `_then_` and shortened to 64 characters. */
  readonly name?: Name | undefined;
  /** Defaults to `Pipeline: a -> b`. */
  readonly description?: string | undefined;
  /** The steps. They run in order, each with an input from the previous result. */
  readonly steps: Steps;
  /**
   * `fail-fast` makes the result of a failed step the pipeline's result. `continue` passes its message on as
   * the next input. Defaults to `fail-fast`.
   */
  readonly onFailure?: OnFailure | undefined;
}

/**
 * Creates one tool from several tools that run in sequence, without model calls in between. Its input is that
 * of the first step, and its result that of the last step, including its artifact. A text step receives the
 * text of the previous result that the model would read. Other steps receive an artifact's value, or text
 * that is the JSON of their input. Use `adapt` to change this.
 *
 * Each step is a call in the journal, with its own effect, approval and reconciliation, and counts as a tool
 * call of the turn. An interrupted pipeline resumes at the step where it stopped. A step's signal becomes the
 * pipeline's.
 *
 * @throws ToolDefinitionError if the pipeline cannot work.
 *
 * @example
 * ```ts
 * const refundWhole = definePipeline({
 *   name: 'refund_whole_order',
 *   description: 'Refund all of an order.',
 *   steps: [findOrder, refundOrder], // the first step's result is the input of the second
 * });
 * ```
 */
export function definePipeline<
  const Name extends string = string,
  const Steps extends readonly PipelineStep[] = readonly PipelineStep[],
>(config: PipelineConfig<Name, Steps>): Tool<Name, FirstInput<Steps>, LastOutput<Steps>> {
  checkToolLiteral(config, SHAPE);
  const { onFailure = 'fail-fast' } = config;
  const declared = readSteps(config.name ?? '', config.steps);
  const misfit = literals?.misfitOf(declared, toInputSchema);
  if (misfit) throw new ToolDefinitionError(config.name ?? '', `steps[${misfit.at}]`, misfit.problem);
  const names = declared.map(({ tool }) => tool.name);
  const chain = `Pipeline: ${names.join(' -> ')}`;
  const description = config.description ?? chain;
  // Without a `name`, the type is `string`, unless a caller sets the type parameter explicitly.
  const name = (config.name ?? names.join('_then_').slice(0, 64)) as Name;
  checkNaming(name, description);
  checkWord(name, { onFailure }, FAILURE_POLICIES);
  const [first, ...rest] = nameSteps(declared);
  if (!first) return createPassThrough(name, description);
  const { inputSchema, readInput, check } = first.tool;
  const steps: PipelineRun['steps'] = [first, ...rest];
  return {
    name,
    description,
    inputSchema,
    readInput,
    check: (input, as = name) => check(input, as),
    effect: 'none',
    // Steps store their state under the pipeline's path, where two parallel calls would conflict.
    serial: findSerial(name, steps),
    returnDirect: false,
    metadata: {},
    output: steps.at(-1)?.tool.output,
    inner: declared.map(({ tool }) => tool),
    async call(input, call) {
      const checked = await check(input, call.tool);
      return checked.ok
        ? runSteps({ steps, onFailure, input }, { name, message: chain }, call)
        : checked.answer;
    },
  };
}

const SHAPE = {
  of: 'definePipeline',
  keys: { ...NAMED_KEYS, steps: 'list', onFailure: 'any' },
  required: ['steps'],
  foreign: { tools: 'steps' },
} satisfies LiteralShape<keyof PipelineConfig<string, []>>;

/**
 * Returns a step's fixed `serial` for the pipeline. If each `serial` depends on its step's input, returns the
 * pipeline's name.
 */
function findSerial(name: string, steps: PipelineRun['steps']): string | undefined {
  const words = steps.flatMap(({ tool: { serial } }) => serial ?? []);
  return words.find((word) => typeof word === 'string') ?? (words.length > 0 ? name : undefined);
}

const FAILURE_POLICIES: readonly OnFailure[] = ['fail-fast', 'continue'];

async function runSteps(
  run: PipelineRun,
  frame: Pick<Frame, 'name' | 'message'>,
  call: CallRun,
): Promise<ToolResult> {
  const plan: Plan = (done) => {
    const progress = computeProgress(run, done);
    return 'next' in progress ? progress.next : undefined;
  };
  const outcome = await nest(call, {
    ...frame,
    instructions: '',
    tools: run.steps.map(({ tool }) => tool),
    limits: { iterations: run.steps.length + 1 },
    plan,
  });
  const progress = computeProgress(run, outcome.calls);
  return 'done' in progress ? progress.done : error(outcome.text);
}

/** Creates the tool of a pipeline without steps. It returns its input. */
const createPassThrough = <Name extends string>(
  name: Name,
  description: string,
): AnyTool & { readonly name: Name } =>
  defineTextTool({ name, description, effect: 'read', run: (input) => input });

type ToolOfStep<Step> = Step extends { readonly tool: infer T } ? T : Step;

/** The input of the first step's `run`. Text if there are no steps. */
type FirstInput<Steps extends readonly PipelineStep[]> = Steps extends readonly []
  ? string
  : Steps extends readonly [infer First, ...unknown[]]
    ? ToolInput<ToolOfStep<First> & AnyTool>
    : unknown;

/** The output of the last step's `run`. Text if there are no steps. */
type LastOutput<Steps extends readonly PipelineStep[]> = Steps extends readonly []
  ? string
  : Steps extends readonly [...unknown[], infer Last]
    ? ToolOutput<ToolOfStep<Last> & AnyTool>
    : unknown;
