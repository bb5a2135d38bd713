declare const instead: unique symbol;

/** The type of a key that other libraries have and this literal does not: the compile error names the key to write in its place. */
export interface WriteInstead<Key extends string> {
  readonly [instead]: Key;
}

/** The type of a key that makes no sense in a literal: the compile error has the reason. */
export interface LeaveOut<Reason extends string> {
  readonly [instead]: Reason;
}

/** What other libraries call the parts of an agent. */
export interface ForeignAgentKeys {
  readonly system?: WriteInstead<'instructions'> | undefined;
  readonly systemPrompt?: WriteInstead<'instructions'> | undefined;
  readonly prompt?: WriteInstead<'instructions'> | undefined;
  readonly maxSteps?: WriteInstead<'limits: { iterations }'> | undefined;
}

/** What other libraries call the parts of a tool. */
export interface ForeignToolKeys {
  readonly execute?: WriteInstead<'run'> | undefined;
  readonly handler?: WriteInstead<'run'> | undefined;
  readonly inputSchema?: WriteInstead<'input'> | undefined;
  readonly parameters?: WriteInstead<'input'> | undefined;
}
