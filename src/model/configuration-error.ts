/**
 * A setting is missing or wrong, and whoever deploys can mend it. The message names the setting, is safe to show to a
 * client, and holds no value of a secret.
 */
export class ConfigurationError extends Error {
  override readonly name = 'ConfigurationError';
}
