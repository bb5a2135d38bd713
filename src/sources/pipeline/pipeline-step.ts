import { withName } from '../../decorators/with-name.ts';
import { isTool, ToolDefinitionError } from '../../tool/check-definition.ts';
import { decorate } from '../../tool/decorate.ts';
import type { AnyTool } from '../../tool/tool.ts';
import type { ToolResult } from '../../tool/tool-result.ts';

/**
 * Makes the next step's input of a step's success: an object, or text, as a model would send it; `null` and `undefined`
 * are the empty text. It is asked again on every resume, so it depends on the result alone and has no effect.
 */
export type Adapter = (result: ToolResult) => object | string | null | undefined;

/** A step that says how its result becomes the next step's input. */
export interface AdaptedStep {
  readonly tool: AnyTool;
  /** Asked only when the step succeeded and another one follows (AEP-04). */
  readonly adapt?: Adapter | undefined;
}

/** A step as it is declared. */
export type PipelineStep = AnyTool | AdaptedStep;

/** A step as the pipeline's frame runs it. */
export interface Step {
  /** Its tool's own name, for people. */
  readonly label: string;
  /** Under the name that it has in the frame, which is its own unless an earlier step has that. */
  readonly tool: AnyTool;
  readonly adapt: Adapter | undefined;
}

/** The tools of declared steps. @throws ToolDefinitionError when one is neither a tool nor `{ tool, adapt }` (AEP-08). */
export function readSteps(pipeline: string, declared: readonly PipelineStep[]): readonly AdaptedStep[] {
  return declared.map((step, index) => {
    const refuse = (problem: string): ToolDefinitionError =>
      new ToolDefinitionError(pipeline, `steps[${index}]`, `its step at index ${index} ${problem}.`);
    if (step === null || step === undefined) throw refuse(`must not be ${step}`);
    const { tool, adapt }: AdaptedStep = isAdapted(step) ? step : { tool: step };
    if (!isTool(tool)) throw refuse('is neither a tool nor { tool, adapt }');
    if (adapt !== undefined && typeof adapt !== 'function') throw refuse('has an adapt that is no function');
    return { tool, adapt };
  });
}

/** The steps under names of their own. */
export function nameSteps(steps: readonly AdaptedStep[]): readonly Step[] {
  const used = new Set<string>();
  return steps.map(({ tool, adapt }) => {
    const name = used.has(tool.name) ? freeName(tool.name, used) : tool.name;
    used.add(name);
    const named = name === tool.name ? tool : withName(tool, name);
    // A step that returned directly would end the frame before the next one.
    return { label: tool.name, tool: decorate(named, { returnDirect: false }), adapt };
  });
}

const MAX_NAME = 64;

function freeName(name: string, used: ReadonlySet<string>): string {
  for (let i = 2; ; i += 1) {
    const free = `${name.slice(0, MAX_NAME - 4)}_${i}`;
    if (!used.has(free)) return free;
  }
}

const isAdapted = (step: PipelineStep): step is AdaptedStep => typeof step === 'object' && 'tool' in step;
