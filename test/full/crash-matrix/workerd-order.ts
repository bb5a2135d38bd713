import type { Guard } from './lab/sabotage.ts';
import type { PlayedCell } from './matrix.ts';

/** The options that the script passes to the test in workerd. */
export interface WorkerdOrder {
  readonly count: number;
  readonly seed: number;
  readonly only?: string | undefined;
  readonly without?: Guard | undefined;
}

/** The prefix of progress lines. */
export const PROGRESS = 'crash-matrix: ';

declare module 'vitest' {
  interface ProvidedContext {
    readonly crashMatrix?: WorkerdOrder;
  }
  interface TaskMeta {
    crashMatrix?: readonly PlayedCell[];
  }
}
