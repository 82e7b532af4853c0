import { config } from 'rxjs';
import { beforeEach, expect, test } from 'vitest';
import { runStrategyCode } from '../../../src/host/strategy-files/own-strategies.ts';

beforeEach(() => {
  config.useDeprecatedSynchronousErrorHandling = false;
});

test('what a stream throws while a strategy is loaded refuses it, and breaks nothing later', async () => {
  const script = "require('rxjs').of(1).subscribe(() => { throw new Error('boom'); });";
  const map = JSON.stringify({ version: 3, sources: [], names: [], mappings: '' });
  const code = { file: '/own.js', digest: '1', script, stackName: 'strategy-1.js', imports: ['rxjs'], map };
  await expect(runStrategyCode('own', code)).rejects.toThrow('Error: boom');
});
