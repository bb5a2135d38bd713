import type { Agent } from '../../../src/agent/define-agent.ts';
import type { SentDecision, SentResult } from '../../../src/session/check-answer.ts';
import type { Kit } from './kit.ts';
import type { Exchange } from './script.ts';

/** What the user does next, once the turn has stopped. */
export type Step =
  | { readonly send: string }
  /** Decides about the call that waits under this tool's name. */
  | { readonly decide: string; readonly as: SentDecision }
  /** Sends the result of the call that waits under this tool's name. */
  | { readonly result: string; readonly as: SentResult };

/** A story of one kind of tool, the same whenever it is told. */
export interface Scenario {
  /** The kind, as the matrix names it. */
  readonly kind: string;
  /** Made anew for every invocation, as code is. */
  agent(kit: Kit): Agent;
  /** Others of its app, for whoever is given by name. */
  agents?(kit: Kit): readonly Agent[];
  readonly script: readonly Exchange[];
  readonly steps: readonly Step[];
}
