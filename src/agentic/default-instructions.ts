/** What a nested loop is told that was given no instructions (AGT-02). */
export const defaultInstructions = (description: string): string =>
  'You are an intelligent agent that can use tools to help you complete tasks. ' +
  `Use the provided tools to perform the following task: ${description}`;
