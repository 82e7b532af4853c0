/** Where the broker's API key is for a run with real hosts. It is asked for when it is needed, and kept nowhere. */
import { readFileSync, statSync } from 'node:fs';
import type { AuthConfig } from '../../config/config.ts';

export interface ApiKeyPlace {
  /** In words. */
  readonly where: string;
  readonly isThere: boolean;
}

/** The environment comes first, then the file. */
export function readApiKey({ apiKeyEnvironment, apiKeyFile }: AuthConfig): string | undefined {
  const named = process.env[apiKeyEnvironment];
  if (named !== undefined && named !== '') return named;
  return apiKeyFile === null ? undefined : readFileSync(apiKeyFile, 'utf8').trim();
}

export function apiKeyPlace({ apiKeyEnvironment, apiKeyFile }: AuthConfig): ApiKeyPlace {
  const environment = `the environment variable ${apiKeyEnvironment}`;
  const named = process.env[apiKeyEnvironment];
  if (named !== undefined && named !== '') return { where: environment, isThere: true };
  if (apiKeyFile === null) return { where: environment, isThere: false };
  const size = statSync(apiKeyFile, { throwIfNoEntry: false })?.size ?? 0;
  return { where: `${apiKeyFile} or ${environment}`, isThere: size > 0 };
}
