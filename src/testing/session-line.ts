import type { SessionPort } from '../journal/session-port.ts';

/** An invocation's line to its session. Once it is broken nothing comes through, as when its process has died. */
export class SessionLine {
  readonly port: SessionPort;
  /** Resolves when the line breaks. */
  readonly broken: Promise<void>;
  isBroken = false;
  #announce: () => void = () => {};

  constructor(port: SessionPort) {
    this.broken = new Promise((resolve) => {
      this.#announce = resolve;
    });
    this.port = {
      ...port,
      append: (...change) => this.#through(() => port.append(...change)),
      renew: (epoch) => this.#through(() => port.renew(epoch)),
    };
  }

  break(): void {
    this.isBroken = true;
    this.#announce();
  }

  #through<T>(call: () => Promise<T>): Promise<T> {
    return this.isBroken ? new Promise(() => {}) : call();
  }
}
