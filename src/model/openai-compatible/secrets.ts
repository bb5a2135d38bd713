const MAX_MESSAGE = 300;
const SHORTEST_SECRET = 4;

/**
 * Makes the gate that every error message passes: the key and the values of headers are blotted out, control characters
 * become spaces, and only then is the text cut, so that no half of a secret is left at the edge.
 */
export const createMessageGate = (
  apiKey: string | undefined,
  headers: Readonly<Record<string, string>>,
): ((message: string) => string) => {
  const values = Object.values(headers);
  // `Bearer abc` may come back as `abc`.
  const fromHeaders = [...values, ...values.flatMap((value) => value.split(/[\s,;=]+/))];
  const secrets = [apiKey ?? '', ...fromHeaders.filter((value) => value.length >= SHORTEST_SECRET)]
    .filter((secret) => secret !== '')
    .sort((a, b) => b.length - a.length);
  return (message) => {
    const scrubbed = secrets.reduce((text, secret) => text.replaceAll(secret, '[secret]'), message);
    const line = scrubbed.replace(/[\p{Cc}\s]+/gu, ' ');
    return line.length > MAX_MESSAGE ? `${line.slice(0, MAX_MESSAGE)}…` : line;
  };
};
