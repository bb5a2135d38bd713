/** The exports of `cloudflare:workers`. */

class Base<Env> {
  readonly ctx: object;
  readonly env: Env;

  constructor(ctx: object, env: Env) {
    this.ctx = ctx;
    this.env = env;
  }
}

export class DurableObject<Env> extends Base<Env> {}
export class WorkerEntrypoint<Env> extends Base<Env> {}

/** Marks all required exports as present. */
export const exports = { SessionObject: true, TurnRunner: true };
export const env = {};
export const waitUntil = (): void => {};
