/** The exports of `cloudflare:workers`. */

class WorkersBase<Env> {
  readonly ctx: object;
  readonly env: Env;

  constructor(ctx: object, env: Env) {
    this.ctx = ctx;
    this.env = env;
  }
}

export class DurableObject<Env> extends WorkersBase<Env> {}
export class WorkerEntrypoint<Env> extends WorkersBase<Env> {}

/** Marks all required exports as present. */
export const exports = { SessionObject: true, TurnRunner: true };
export const env = {};
export const waitUntil = (): void => {};
