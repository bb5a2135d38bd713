/**
 * Thrown if a setting is missing or invalid, which the deployer can fix. The message names the setting. It is
 * safe for clients, and contains no value of a secret.
 */
export class ConfigurationError extends Error {
  override readonly name = 'ConfigurationError';
}
