declare const instead: unique symbol;

/**
 * The type of a key of other libraries that this literal does not have. The compile error shows the key to
 * write instead.
 */
export interface WriteInstead<Key extends string> {
  readonly [instead]: Key;
}

/** The type of a key that makes no sense in a literal. The compile error contains the reason. */
export interface LeaveOut<Reason extends string> {
  readonly [instead]: Reason;
}

/** Keys of agents in other libraries. */
export interface ForeignAgentKeys {
  readonly system?: WriteInstead<'instructions'> | undefined;
  readonly systemPrompt?: WriteInstead<'instructions'> | undefined;
  readonly prompt?: WriteInstead<'instructions'> | undefined;
  readonly maxSteps?: WriteInstead<'limits: { iterations }'> | undefined;
}

/** Keys of tools in other libraries. */
export interface ForeignToolKeys {
  readonly execute?: WriteInstead<'run'> | undefined;
  readonly handler?: WriteInstead<'run'> | undefined;
  readonly inputSchema?: WriteInstead<'input'> | undefined;
  readonly parameters?: WriteInstead<'input'> | undefined;
}
