/** The session was erased, and the turn with it. */
export class SessionErasedError extends Error {
  override readonly name = 'SessionErasedError';

  constructor() {
    super('The session was erased, and the turn with it.');
  }
}
