/** Alerts of the edge: one for each condition, and one for its end. */
import { expect, it } from 'vitest';
import { EdgeAlerts } from '../../../src/daemon/edge/edge-alerts.ts';
import { tsUs } from '../../../src/domain/units.ts';

function edge() {
  const codes: string[] = [];
  const alerts = new EdgeAlerts(
    (severity, code) => codes.push(`${severity} ${code}`),
    () => undefined,
    420,
  );
  return { alerts, codes };
}

it('leaves an order without an answer to the engine, which knows its id, and alerts other calls', () => {
  const { alerts, codes } = edge();
  for (const operation of ['place', 'condition-place', 'cancel'])
    alerts.rest({ kind: 'outcome_unknown', operation, reason: 'no answer' });
  expect(codes).toEqual(['warning outcome_unknown']);
});

it('says that there is a token again, once, where there was none', () => {
  const { alerts, codes } = edge();
  const obtained = { kind: 'obtained', from: 'exchange', expiresAt: tsUs(1), used: 1, allowed: 10 } as const;
  alerts.token(obtained);
  alerts.token({ kind: 'rejected', by: 'rest', detail: 'HTTP 401' });
  for (let times = 0; times < 2; times += 1) alerts.token(obtained);
  expect(codes).toEqual(['critical token_rejected', 'info token_obtained']);
});
