/** The format of scenarios. */
import type { ScriptCall, ScriptTurn } from '../../wires/wire.ts';
import type { Session } from './play.ts';

/** A named session. */
export interface Scenario extends Session {
  readonly name: string;
  /** Its description for the table. */
  readonly about: string;
  /** `true` if every request must extend the previous one. */
  readonly isPromised?: true;
}

/** A call of a scripted reply. */
export const createCall = (name: string, input: ScriptCall['input'] = {}): ScriptCall => ({ name, input });

/** Returns a turn whose replies make these calls. */
export const createTurn = (...steps: readonly (ScriptCall | readonly ScriptCall[])[]): ScriptTurn => ({
  steps: steps.map((step) => ({ calls: 'name' in step ? [step] : step })),
  answer: `That was done in ${steps.length} steps.`,
});
