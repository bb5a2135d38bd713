/** The plans for the agent. The model, the tools and the judges parse them. */

/** The agent's tools. */
export type ToolName =
  | 'read'
  | 'idempotent'
  | 'once'
  | 'reconciled'
  | 'approved'
  | 'fails'
  | 'manual'
  | 'later'
  | 'tally'
  | 'legacy'
  /** Tools that open a nested loop with its own steps. */
  | 'work'
  | 'order'
  | 'recipe'
  /** An unfolding tool that contains the next two tools. */
  | 'desk'
  | 'filed'
  | 'noted'
  /** The tools of the state machine and the playbook. */
  | 'confirm'
  | 'ship'
  | 'prepare'
  | 'finish';

/** One call that the model makes. */
export interface PlannedCall {
  readonly tool: ToolName;
  /** Unique in a play. It identifies the effect. */
  readonly label: string;
  /** The time before the effect, in ms. */
  readonly before: number;
  /** The time after the effect, in ms. */
  readonly after: number;
  /** The steps of the nested loop that the call opens. */
  readonly steps?: Steps | undefined;
  /** The plan of the turn that the call schedules. */
  readonly plan?: Plan | undefined;
  readonly delaySeconds?: number | undefined;
}

/** The calls of each reply, in order. */
export type Steps = readonly (readonly PlannedCall[])[];

/** A message, and the plan for its turn. */
export interface Plan {
  /** Unique in a play. */
  readonly message: string;
  /** The message may steer a running turn. The model then executes both plans. */
  readonly steers?: boolean | undefined;
  /** The time that the model takes for each reply, in ms. */
  readonly think: number;
  readonly steps: Steps;
}

const PREFIX = 'plan ';

/** Returns the message text that contains a plan. */
export const planText = (plan: Plan): string => PREFIX + JSON.stringify(plan);

/** Returns the plan in a text, or `undefined` if there is no plan. */
export function findPlan(text: string): Plan | undefined {
  if (text.startsWith(PREFIX)) return JSON.parse(text.slice(PREFIX.length));
  if (!text.startsWith('{"label":')) return undefined;
  const { label, steps = [], before }: PlannedCall = JSON.parse(text); // the text is the input of the call that opened the loop
  return { message: label, think: before, steps };
}

/** Returns all calls of the steps, including calls in nested loops. */
export const listCalls = (steps: Steps): readonly PlannedCall[] =>
  steps.flat().flatMap((call) => [call, ...listCalls(call.steps ?? [])]);
