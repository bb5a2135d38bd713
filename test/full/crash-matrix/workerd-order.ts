import type { Guard } from './lab/sabotage.ts';
import type { Played } from './matrix.ts';

/** What the script asks of the tests in workerd. */
export interface WorkerdOrder {
  readonly count: number;
  readonly seed: number;
  readonly only?: string | undefined;
  readonly without?: Guard | undefined;
}

/** With what it is said how far it is. */
export const PROGRESS = 'crash-matrix: ';

declare module 'vitest' {
  interface ProvidedContext {
    readonly crashMatrix?: WorkerdOrder;
  }
  interface TaskMeta {
    crashMatrix?: readonly Played[];
  }
}
