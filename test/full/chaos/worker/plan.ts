/** The plans in the messages of the load. The agent and the oracle both parse them. */

/** The agent's tools, named by the behavior of a repeated call. */
export type ToolName = 'read' | 'idempotent' | 'once' | 'reconciled' | 'approved';

/** The service for the effect of each tool. `read` has no effect. Only one tool calls each service. */
export const SERVICES = {
  idempotent: 'delivery-notes',
  once: 'emails',
  reconciled: 'refunds',
  approved: 'warehouse',
} as const satisfies Readonly<Record<Exclude<ToolName, 'read'>, string>>;

/** One call that the model makes. */
export interface PlannedCall {
  readonly tool: ToolName;
  /** Unique in a run. It identifies the effect. */
  readonly label: string;
  /** The time before the effect, in ms. */
  readonly before: number;
  /** The time after the effect, in ms. */
  readonly after: number;
}

/** A message of the load. It contains the plan for the model. */
export interface Plan {
  /** Unique in a run. */
  readonly message: string;
  /** The message may steer a running turn. The model then executes both plans. */
  readonly steers?: boolean | undefined;
  /** The time that the model takes for each reply, in ms. */
  readonly think: number;
  /** The calls of each reply, in order. */
  readonly steps: readonly (readonly PlannedCall[])[];
}

const PREFIX = 'plan ';

/** Returns the message text that contains a plan. */
export const planText = (plan: Plan): string => PREFIX + JSON.stringify(plan);

/** Returns the plan in a text, or `undefined` if there is no plan. */
export const parsePlan = (text: string): Plan | undefined =>
  text.startsWith(PREFIX) ? JSON.parse(text.slice(PREFIX.length)) : undefined;
