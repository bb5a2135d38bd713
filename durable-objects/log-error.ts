/** Writes a problem to the console, as one JSON object: an object knows no app, whose log could have it. */
export const logError = (message: string): void =>
  console.error(JSON.stringify({ level: 'error', event: 'other', message }));
