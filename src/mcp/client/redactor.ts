import { Secrets } from '../../tool/secrets.ts';

/** Takes credentials out of what a server says. */
export interface Redactor {
  /** Hides this value from now on; the name stands in its place. */
  hide(name: string, credential: string): void;
  /** Makes a copy without them, as `Secrets.redact` does. */
  redact<T>(value: T): T;
}

/**
 * Knows the secrets of a caller, and what a connection sends beside them: servers repeat what they are sent, and neither a
 * session nor a model nor a log is to have it. Applied to all that comes, before anything of it is cut: half a secret is not
 * recognised.
 */
export function createRedactor(secrets: Secrets): Redactor {
  /** A name may have had several values, such as a token that was renewed: each bag has one of them. */
  const values: Map<string, string>[] = [];
  let bags: readonly Secrets[] = [secrets];
  return {
    hide(name, credential) {
      if (credential === '' || values.some((bag) => bag.get(name) === credential)) return;
      const free = values.find((bag) => !bag.has(name)) ?? new Map<string, string>();
      if (free.size === 0) values.push(free);
      free.set(name, credential);
      bags = [secrets, ...values.map((bag) => Secrets.of(Object.fromEntries(bag)))];
    },
    redact: (value) => bags.reduce((left, bag) => bag.redact(left), value),
  };
}

/** Hides what these headers say: without the scheme of an authorization, and the password that a Basic one holds. */
export function hideHeaders({ hide }: Redactor, headers: Readonly<Record<string, string>>): void {
  for (const [name, value] of Object.entries(headers)) {
    const [, scheme = '', credentials = value] =
      (/authorization$/i.test(name) && /^([\w-]+) +(.+)$/.exec(value)) || [];
    hide(name, credentials);
    if (scheme.toLowerCase() === 'basic') hide('password', passwordOf(credentials));
  }
}

/** Finds the password, and with its user when it is short, since short words occur by chance. Empty when there is none. */
function passwordOf(credentials: string): string {
  try {
    const decoded = new TextDecoder().decode(Uint8Array.from(atob(credentials), (one) => one.charCodeAt(0)));
    const password = decoded.slice(decoded.indexOf(':') + 1);
    return password.length < 6 ? decoded : password;
  } catch {
    return '';
  }
}
