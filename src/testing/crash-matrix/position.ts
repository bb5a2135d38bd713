/**
 * What an invocation does to the world: it asks for a lease, appends, renews, asks the model, runs a tool, or reports what
 * happened outside.
 */
export type Operation = 'lease' | 'append' | 'renew' | 'model' | 'run' | 'effect';

/** The time just before or just after an operation: where a crash may fall. */
export interface Position {
  readonly side: 'before' | 'after';
  readonly operation: Operation;
  /** The tool that runs, or what happens outside. */
  readonly of?: string | undefined;
}

/** The position in words. */
export const positionText = ({ side, operation, of }: Position): string =>
  `${side} ${of === undefined ? operation : `${operation} of '${of}'`}`;
