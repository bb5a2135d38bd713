/**
 * A setting is missing or invalid, and the deployer can fix it. The message names the setting. It is safe for
 * clients, and contains no value of a secret.
 */
export class ConfigurationError extends Error {
  override readonly name = 'ConfigurationError';
}
