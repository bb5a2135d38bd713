/** What the played app has of the play, and the play of the app: the one is code for Workers, the other code for Node. */

/** The world in which effects happen. It knows nothing of sessions. */
export interface Outside {
  /** Resolves after `ms` of the simulation. */
  pause(ms: number): Promise<void>;
  /** What was sent by a run that began before the last `recall` of this key is refused: the number of that, to be sent along. */
  ticket(key: string): number;
  /** Sends a request to have an effect; it may be on its way for long, also when whoever has sent it is dead. */
  act(request: {
    readonly key: string;
    readonly session: string;
    readonly call: string;
    readonly label: string;
    readonly ticket: number;
  }): Promise<void>;
  /** Says what became of the key, and refuses from then on what was sent for it before. */
  recall(key: string): Promise<'done' | 'not-done' | 'unknown'>;
  /** Draws what the model's provider does with a request. */
  modelFate(): 'fine' | 'error' | 'breaks' | 'silent';
}

/** One version of the app. */
export interface AppOptions {
  readonly outside: Outside;
  /** Two versions alternate in a deployment. */
  readonly version: 'v1' | 'v2';
  /** Takes what the app logs. */
  readonly log: (line: string) => void;
}
