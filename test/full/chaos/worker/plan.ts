/** The requests of the load to the agent, in a form that both of them and the oracle read. */

/** The agent's tools, by the effect of running a call twice. */
export type ToolName = 'read' | 'idempotent' | 'once' | 'reconciled' | 'approved';

/** The service that has the effect of a tool; `read` has none. Each is called by one tool alone. */
export const SERVICES = {
  idempotent: 'delivery-notes',
  once: 'emails',
  reconciled: 'refunds',
  approved: 'warehouse',
} as const satisfies Readonly<Record<Exclude<ToolName, 'read'>, string>>;

/** One call that the model makes. */
export interface PlannedCall {
  readonly tool: ToolName;
  /** Unique in a run; the effect is known by it. */
  readonly label: string;
  /** How long `run` takes before its effect, in ms. */
  readonly before: number;
  /** How long it takes afterwards, in ms. */
  readonly after: number;
}

/** A message of the load, with the plan for the model. */
export interface Plan {
  /** Unique in a run. */
  readonly message: string;
  /** It may join a turn that runs; the model does both. */
  readonly steers?: boolean | undefined;
  /** How long the model takes for each reply, in ms. */
  readonly think: number;
  /** The calls of each reply, in order. */
  readonly steps: readonly (readonly PlannedCall[])[];
}

const PREFIX = 'plan ';

/** The text that carries a plan to the model. */
export const planText = (plan: Plan): string => PREFIX + JSON.stringify(plan);

/** Returns the plan in a text, or `undefined` if the text has none. */
export const planIn = (text: string): Plan | undefined =>
  text.startsWith(PREFIX) ? JSON.parse(text.slice(PREFIX.length)) : undefined;
