/** The interface between the app, which is Worker code, and the play, which is Node code. */

/** The external services in which effects happen. They are independent of sessions. */
export interface Outside {
  /** Resolves after `ms` of simulated time. */
  pause(ms: number): Promise<void>;
  /** Returns the current ticket of a key. Requests with a ticket from before the last `recall` are refused. */
  ticket(key: string): number;
  /** Sends a request for an effect. It can arrive late, even after the death of its sender. */
  act(request: {
    readonly key: string;
    readonly session: string;
    readonly call: string;
    readonly label: string;
    readonly ticket: number;
  }): Promise<void>;
  /** Returns the outcome of the key, and refuses all earlier requests for it. */
  recall(key: string): Promise<'done' | 'not-done' | 'unknown'>;
  /** Draws the outcome of a model request. */
  modelFate(): 'fine' | 'error' | 'breaks' | 'silent';
}

/** One version of the app. */
export interface AppOptions {
  readonly outside: Outside;
  /** During a deployment, both versions run. */
  readonly version: 'v1' | 'v2';
  /** Receives the app's log lines. */
  readonly log: (line: string) => void;
}
