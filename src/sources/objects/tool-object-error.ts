/** An object cannot be made tools of. Thrown where they are made, never in a turn. */
export class ToolObjectError extends Error {
  override readonly name = 'ToolObjectError';
  /** The name of the object's class. */
  readonly object: string;

  constructor(object: string, message: string, options?: ErrorOptions) {
    super(message, options);
    this.object = object;
  }
}
