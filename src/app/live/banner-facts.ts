import { formatPhases } from '../inspect/format-phases.ts';
import type { BannerFacts } from '../../operator/banner.ts';
import { US_PER_SECOND } from '../../domain/units.ts';
import type { BrokerAddress } from '../edge/broker-address.ts';
import type { RunPlan } from './run-options.ts';

const percent = (bps: number): string => `${bps / 100} %`;

export function bannerFacts(
  plan: RunPlan,
  address: BrokerAddress,
  controlUrl: string,
  version: string,
): BannerFacts {
  const { config, tape, remarks } = plan;
  const { risk } = config.engine;
  const { speed } = config.simulator;
  const isPaper = config.mode === 'paper';
  const pace = config.broker.requestsPerSecond * (isPaper ? Math.max(1, speed) : 1);
  const market = tape === null ? `seed ${config.simulator.seed}` : `the tape of ${tape.day}`;
  return {
    name: 'Tickwright',
    version,
    mode: config.mode,
    broker: isPaper ? `simulated, ${market}, ${address.restUrl}` : address.restUrl,
    account: address.subAccountId,
    stateDir: config.stateDir,
    sessionHours: `${config.calendar.name}: ${formatPhases(config.calendar)} (${config.calendar.timeZone})`,
    clock: isPaper && speed !== 1 ? `market time at ${speed} times real time` : 'real time',
    pace: `at most ${pace} requests a second`,
    controlUrl,
    strategies: config.strategies,
    risk: [
      { what: 'order', limit: `${risk.orderQtyMax} contracts` },
      { what: 'position', limit: `${risk.accountPositionMax} contracts` },
      { what: 'open orders', limit: String(risk.openOrdersMax) },
      { what: 'orders', limit: `${risk.ordersPerSecondMax}/s, ${risk.ordersPerMinuteMax}/min` },
      { what: 'collar', limit: percent(risk.collarBps) },
      { what: 'loss of the day', limit: `${risk.accountDailyLossMax.toLocaleString('en-US')} VND` },
      { what: 'data age', limit: `${risk.dataAgeMax / US_PER_SECOND} s` },
      { what: 'margin use', limit: percent(risk.marginUseBps) },
    ],
    remarks: [...remarks, ...config.live.assume.map((what) => `assumed of the broker: ${what}`)],
  };
}
