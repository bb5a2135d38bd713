/** The object of a session could not be reached, and would not be by asking at once again. */
export class SessionUnavailableError extends Error {
  override readonly name = 'SessionUnavailableError';

  constructor(cause: Error) {
    super(`The session cannot be reached: ${cause.message}`, { cause });
  }
}
