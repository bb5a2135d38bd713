import type { CallScope } from '../../tool/call.ts';
import type { Json } from '../../tool/json.ts';

/** The call whose artifact a sink is given. */
export interface SinkCall extends CallScope {
  readonly artifact: {
    /** The name of its type; of what a transform made, the name in `into`. */
    readonly type?: string | undefined;
    /** What the journal keeps of it, before its type has read it. Absent for what a transform made. */
    readonly json?: Json | undefined;
  };
}

/**
 * Takes artifacts: one function (DEC-11). They come one after another, in order; a promise is awaited, what is answered is
 * not looked at. A call that is run again, after a crash, is heard of again under the same `call.id`.
 */
export type Sink<Artifact = unknown> = (artifact: Artifact, call: SinkCall) => unknown;
