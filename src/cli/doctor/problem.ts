import type { ConfigEdit } from './config-edit.ts';

/** A problem of a project. Texts are sentences without secrets. */
export interface Problem {
  /** A short, stable id for scripts. */
  readonly id: string;
  /**
   * `error`: the Worker does not work, or is open to everyone. `warning`: it works less well than it could.
   */
  readonly level: 'error' | 'warning';
  readonly what: string;
  readonly why: string;
  readonly fix: string;
  /** Absent if the user must decide how to fix it. */
  readonly edits?: readonly Edit[];
}

/** A change of a file, which `--fix` makes. */
export type Edit =
  | { readonly type: 'config'; readonly edit: ConfigEdit }
  /** Adds lines to the end of a file, which is created if it is missing. */
  | { readonly type: 'append'; readonly file: string; readonly lines: string }
  /** Sets a variable of a `.dev.vars` file. */
  | { readonly type: 'dev-var'; readonly file: string; readonly name: string; readonly value: string };
