/** The session was erased, and the turn with it. */
export class SessionErasedError extends Error {
  override readonly name = 'SessionErasedError';

  constructor() {
    super('The session was erased, and the turn with it.');
  }
}

/** The object of a session could not be reached, and would not be by asking at once again. */
export class SessionUnavailableError extends Error {
  override readonly name = 'SessionUnavailableError';

  constructor(cause: Error) {
    super(`The session cannot be reached: ${cause.message}`, { cause });
  }
}
