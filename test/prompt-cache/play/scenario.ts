/** How scenarios are written. */
import type { ScriptCall, ScriptTurn } from '../../wires/wire.ts';
import type { Session } from './play.ts';

/** A session with a name. */
export interface Scenario extends Session {
  readonly name: string;
  /** What it is, for the table. */
  readonly about: string;
  /** Whether it is promised that every request extends the one before. */
  readonly isPromised?: true;
}

/** A call of a scripted reply. */
export const call = (name: string, input: ScriptCall['input'] = {}): ScriptCall => ({ name, input });

/** A turn whose replies make these calls, one or several each. */
export const turn = (...steps: readonly (ScriptCall | readonly ScriptCall[])[]): ScriptTurn => ({
  steps: steps.map((step) => ({ calls: 'name' in step ? [step] : step })),
  answer: `That was done in ${steps.length} steps.`,
});
