const SHORTEST_SECRET = 4;

/** Makes what takes the key and the values of headers out of a message. */
export const blotSecrets = (
  apiKey: string | undefined,
  headers: Readonly<Record<string, string>>,
): ((message: string) => string) => {
  const values = Object.values(headers);
  // `Bearer abc` may come back as `abc`.
  const fromHeaders = [...values, ...values.flatMap((value) => value.split(/[\s,;=]+/))];
  const secrets = [apiKey ?? '', ...fromHeaders.filter((value) => value.length >= SHORTEST_SECRET)]
    .filter((secret) => secret !== '')
    .sort((a, b) => b.length - a.length);
  return (message) => secrets.reduce((text, secret) => text.replaceAll(secret, '[secret]'), message);
};
