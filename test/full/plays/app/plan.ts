/** What plays ask of the agent, as its model, its tools and the judges read it. */

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
  /** Loops of their own, with steps. */
  | 'work'
  | 'order'
  | 'recipe'
  /** Unfolds; behind it are the next two. */
  | 'desk'
  | 'filed'
  | 'noted'
  /** Of the state machine and the playbook. */
  | 'confirm'
  | 'ship'
  | 'prepare'
  | 'finish';

/** One call that the model makes. */
export interface PlannedCall {
  readonly tool: ToolName;
  /** Unique in a play; the effect is known by it. */
  readonly label: string;
  /** How long `run` takes before its effect, in ms. */
  readonly before: number;
  /** How long it takes afterwards, in ms. */
  readonly after: number;
  /** What is done inside, of a call that opens a loop. */
  readonly steps?: Steps | undefined;
  /** What a turn is to do that the call schedules. */
  readonly plan?: Plan | undefined;
  readonly delaySeconds?: number | undefined;
}

/** The calls of each reply, in order. */
export type Steps = readonly (readonly PlannedCall[])[];

/** A message: what the model does about it. */
export interface Plan {
  /** Unique in a play. */
  readonly message: string;
  /** It may join a turn that runs; the model does both. */
  readonly steers?: boolean | undefined;
  /** How long the model takes for each reply, in ms. */
  readonly think: number;
  readonly steps: Steps;
}

const PREFIX = 'plan ';

/** The text that carries a plan to the model. */
export const planText = (plan: Plan): string => PREFIX + JSON.stringify(plan);

/** The plan in a text; `undefined` for what somebody else said. */
export function planIn(text: string): Plan | undefined {
  if (text.startsWith(PREFIX)) return JSON.parse(text.slice(PREFIX.length));
  if (!text.startsWith('{"label":')) return undefined;
  const { label, steps = [], before }: PlannedCall = JSON.parse(text); // the input of a call that opens a loop
  return { message: label, think: before, steps };
}

/** All calls of steps, those inside of others included. */
export const callsOf = (steps: Steps): readonly PlannedCall[] =>
  steps.flat().flatMap((call) => [call, ...callsOf(call.steps ?? [])]);
