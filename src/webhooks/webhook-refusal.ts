/**
 * Why a delivery is not taken. `invalid-signature`: it is not shown to come from the sender (401). `bad-json`: it does,
 * and cannot be read (400). `not-configured`: this Worker has no secret to check it with (503).
 */
export type RefusalKind = 'invalid-signature' | 'bad-json' | 'not-configured';

/**
 * A delivery is refused, and nothing of it was taken. Thrown by verifiers, those of an app included. The message is
 * answered to whoever sent the delivery: it tells an honest sender what to mend, and holds no secret and no right signature.
 */
export class WebhookRefusal extends Error {
  override readonly name = 'WebhookRefusal';
  readonly kind: RefusalKind;

  constructor(kind: RefusalKind, message: string) {
    super(message);
    this.kind = kind;
  }
}
